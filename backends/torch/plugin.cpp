// What the library gives to Mithril: a backend made from options.
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/headeronly/version.h>

#include <algorithm>

#include "backends/torch/executable.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

// Declared here, because its header brings much else.
extern "C" uint64_t aoti_torch_abi_version();

namespace mithril::torch_backend {
namespace {

std::vector<std::string> devices() {
  std::vector<std::string> names{"cpu"};
  const int count = at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  for (int i = 0; i < count; ++i) names.push_back("cuda:" + std::to_string(i));
  if (at::hasMPS()) names.emplace_back("mps");
  return names;
}

// "cuda" is the first of them.
std::string checked_device(const std::string& wanted) {
  const std::vector<std::string> there = devices();
  const std::string full = wanted == "cuda" ? "cuda:0" : wanted;
  if (std::find(there.begin(), there.end(), full) != there.end()) return full;
  raise({.kind = ErrorKind::backend,
         .code = "E1005",
         .message = "there is no device " + mithril::quoted(wanted),
         .facts = {{"there are", join(there, ", ")}}});
}

DType checked_dtype(DType dtype) {
  if (is_floating(dtype)) return dtype;
  raise({.kind = ErrorKind::type,
         .code = "E0383",
         .message =
             "the default dtype of a backend is that of floats, not " + std::string(name(dtype)),
         .help = "choose float32, float64, float16 or bfloat16"});
}

class Torch final : public Backend {
 public:
  explicit Torch(const Arguments& options) {
    for (const auto& [option, value] : options) {
      if (option == "device") {
        device_ = checked_device(value.text());
      } else if (option == "dtype") {
        dtype_ = checked_dtype(value.dtype());
      } else if (option == "requires_grad") {
        requires_grad_ = value.flag();
      } else {
        unknown_name(ErrorKind::name, "E0616", "option of the torch backend", option, "",
                     {"device", "dtype", "requires_grad"});
      }
    }
  }

  std::string_view name() const override { return "torch"; }
  DType default_dtype() const override { return dtype_; }

  std::vector<std::string> missing(const Graph& graph) const override {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes()) {
      const bool listed = std::find(names.begin(), names.end(), node.op->name) != names.end();
      if (!node.op->spelling("torch") && !node.op->eval && !listed) names.push_back(node.op->name);
    }
    return names;
  }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    return make_executable(graph, device_, options);
  }

  Tensor adopt(const Tensor& tensor, bool parameter) const override {
    at::Tensor adopted = to_torch(tensor, c10::Device(device_));
    if (parameter && requires_grad_) adopted = adopted.detach().requires_grad_();
    return from_torch(adopted);
  }

 private:
  std::string device_ = "cpu";
  DType dtype_ = DType::float32;
  bool requires_grad_ = false;
};

std::string version_text(uint64_t version) {
  return "torch " + std::to_string(version >> 56) + "." + std::to_string(version >> 48 & 0xff);
}

// Inline code of the headers has to be that of the libraries: the same major and minor version.
const char* misfit() {
  static std::string there;
  constexpr int patch_bits = 48;
  const uint64_t version = aoti_torch_abi_version();
  if (version >> patch_bits == TORCH_ABI_VERSION >> patch_bits) return nullptr;
  there = version_text(version);
  return there.c_str();
}

std::shared_ptr<Backend> make(const Arguments& options) { return std::make_shared<Torch>(options); }

}  // namespace
}  // namespace mithril::torch_backend

extern "C" __attribute__((visibility("default"))) const mithril::BackendPlugin* mithril_backend() {
  static const mithril::BackendPlugin plugin{mithril::plugin_version, "torch " TORCH_VERSION,
                                             mithril::torch_backend::misfit,
                                             mithril::torch_backend::make};
  return &plugin;
}
