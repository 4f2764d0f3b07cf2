// One model on several backends: parts are placed by their paths.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/backend/backends.hpp"
#include "mithril/model/flatten.hpp"

namespace mithril {

// A backend, and how messages call it.
struct LabelledBackend {
  std::string label;
  const Backend& backend;
};
// BackendError E1061 if their floats have different dtypes.
void check_same_floats(const LabelledBackend& one, const LabelledBackend& other);

// A backend that cuts each graph into segments, runs each on the backend of its nodes, and passes
// tensors between them (Backend::receive). The backend of the path "" is the main one: parameters,
// states and results are its tensors.
class SeveralBackends final : public Backend {
 public:
  // BackendError E1052 for null, E1060 without the path "", E1061 for backends whose floats have
  // different dtypes, E1062 for a backend that takes part in its library's differentiation.
  explicit SeveralBackends(Backends backends);

  // Places the parts of the model, which `flat` is the graph of. NameError E0645 for a path that no
  // part has. Called once, before graphs are loaded.
  void place(const Composite& model, const FlatModel& flat);

  std::string_view name() const override { return name_; }
  DType default_dtype() const override { return main().default_dtype(); }
  GraphOptions graph_options() const override { return options_; }
  std::vector<std::string> missing(const Graph& graph) const override;
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override;
  // Lines for the summary: what crosses in the graph with gradients, but not in the forward graph.
  std::vector<std::string> gradient_notes(const Graph& forward, const Graph& both) const;
  Tensor adopt(const Tensor& tensor, bool parameter) const override {
    return main().adopt(tensor, parameter);
  }
  Tensor receive(const Tensor& tensor) const override { return main().receive(tensor); }
  Tensor own(const Tensor& tensor) const override;
  BackendMemory* memory() override { return members_[main_]->memory(); }
  std::vector<std::string> devices() const override { return main().devices(); }
  std::string default_device() const override { return main().default_device(); }

 private:
  // ConnectionError E0145 for a path in a loop or a choice that has another backend than the whole.
  void check_loops(const Composite& model, const FlatModel& flat) const;
  HostMemory memory_at(const std::string& device) const override {
    const MemoryInfo info = members_[main_]->memory_info(device);
    return {info.total, info.free};
  }
  Tensor moved(const Tensor& tensor, const std::string& device) const override {
    return main().to_device(tensor, device);
  }
  const Backend& main() const { return *members_[main_]; }
  void check() const;
  size_t member_at(std::string_view path) const;
  size_t member_of(std::string_view value) const;
  std::vector<size_t> members_of(const Graph& graph) const;

  const Backends backends_;                           // by path
  std::vector<std::shared_ptr<Backend>> members_;     // each once
  std::map<std::string, size_t, std::less<>> paths_;  // the number of the member
  size_t main_ = 0;
  std::string name_;
  GraphOptions options_;
  // The index of a member, by the name of a value that a part makes or reads.
  std::unordered_map<std::string, size_t> places_;
};

}  // namespace mithril
