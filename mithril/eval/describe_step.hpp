// Steps as traces show them: what they compute, read and write.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/base/trace.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

// Describes the steps of one plan. The graph and the plan outlive it.
class StepDescriber {
 public:
  StepDescriber(const Graph& graph, const Plan& plan);

  // The step that computes these nodes. A node that contains graphs has no operations or bytes of
  // its own: their steps are steps, too. If another step of the plan computes the nodes, too, its
  // operations are not counted twice: `counts` is false for one of them.
  TracedStep describe(std::span<const size_t> nodes, std::string kernel, bool counts = true) const;

 private:
  std::int64_t operations(size_t node) const;
  std::vector<ValueId> read_by(std::span<const size_t> nodes) const;
  std::vector<ValueId> written_by(std::span<const size_t> nodes) const;
  TracedTensor tensor(ValueId id) const;
  std::int64_t bytes(ValueId id) const;
  std::string layer_of_value(std::string_view name) const;
  std::string layer_of(ValueId value) const;  // that a node makes
  std::string find_prefix() const;

  const Graph& graph_;
  const Plan& plan_;
  const std::vector<const Dims*> dims_;
  std::vector<size_t> producer_;              // per value; none: SIZE_MAX
  std::vector<std::vector<size_t>> readers_;  // per value: nodes
  std::vector<bool> is_output_;               // per value
  std::unordered_map<std::string_view, ValueId> by_name_;
  std::string prefix_;  // of paths that names of parameters lack: "model." of a training model
};

// All nodes of a plan as one step, for backends that run a graph as a whole.
TracedStep describe_whole(const Graph& graph, const Plan& plan, std::string kernel);

// The steps of a plan, described when a trace first needs them.
class LazySteps {
 public:
  template <typename Describe>  // returns TracedSteps
  std::shared_ptr<const TracedSteps> get(Describe describe) const {
    std::call_once(described_, [&] { steps_ = std::make_shared<const TracedSteps>(describe()); });
    return steps_;
  }

 private:
  mutable std::once_flag described_;
  mutable std::shared_ptr<const TracedSteps> steps_;  // shared with traces
};

}  // namespace mithril
