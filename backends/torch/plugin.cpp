// What the library gives to Mithril: a backend made from options.
#include <algorithm>

#include "backends/torch/devices.hpp"
#include "backends/torch/executable.hpp"
#include "backends/torch/settings.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/backend/plugin.hpp"

namespace mithril::torch_backend {
namespace {

class Torch final : public Backend {
 public:
  explicit Torch(const Arguments& options) : settings_(read_settings(options)) {}

  std::string_view name() const override { return "torch"; }
  DType default_dtype() const override { return settings_.dtype; }
  GraphOptions graph_options() const override {
    return {.mixed_precision = settings_.mixed_precision()};
  }

  std::vector<std::string> missing(const Graph& graph) const override {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes()) {
      const bool listed = std::find(names.begin(), names.end(), node.op->name) != names.end();
      if (!node.op->spelling("torch") && !node.op->eval && !listed) names.push_back(node.op->name);
    }
    return names;
  }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    return make_executable(graph, settings_, options);
  }

  Tensor adopt(const Tensor& tensor, bool parameter) const override {
    return torch_backend::adopt(tensor, settings_, parameter);
  }
  Tensor own(const Tensor& tensor) const override { return torch_backend::own(tensor); }

 private:
  const Settings settings_;
};

std::shared_ptr<Backend> make(const Arguments& options) { return std::make_shared<Torch>(options); }

}  // namespace
}  // namespace mithril::torch_backend

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{
      mithril::plugin_version, mithril::torch_backend::built_for(), mithril::torch_backend::misfit,
      mithril::torch_backend::make};
  return &plugin;
}
