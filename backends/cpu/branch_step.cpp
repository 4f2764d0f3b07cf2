#include "backends/cpu/branch_step.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/loop_step.hpp"
#include "backends/cpu/planned_graph.hpp"
#include "mithril/base/error.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"

namespace mithril::cpu_backend {
namespace {

class BranchStep final : public Step {
 public:
  BranchStep(const LoweringContext& context, size_t node)
      : outputs_(context.shaped.planned(node).outputs) {
    const ShapedGraph& shaped = context.shaped;
    const CondNode cond = cond_of(shaped.node(node));
    condition_ = cond.condition;
    arguments_ = cond.arguments;
    std::vector<Tensor> inputs;
    for (const ValueId id : arguments_)
      inputs.push_back(placeholder(shaped.dtype(id), shaped.dims(id)));
    then_ = planned(cond.then, inputs, context);
    otherwise_ = planned(cond.otherwise, inputs, context);
  }

  int64_t scratch_bytes() const override {
    int64_t bytes = 0;
    for (const Branch* branch : {&then_, &otherwise_}) {
      if (branch->graph) bytes = std::max(bytes, branch->graph->scratch_bytes());
    }
    return bytes;
  }

  bool alternates_in_loops() const override { return true; }

  void run(const BufferTable& buffers) const override {
    const Branch& branch = *buffers.read<bool>(condition_) ? then_ : otherwise_;
    if (branch.error) std::rethrow_exception(branch.error);
    branch.graph->run(
        buffers.scratch<std::byte>(), buffers.direction(),
        [&](size_t i) { return buffers.write<std::byte>(arguments_[i]); },
        [&](size_t k) { return buffers.write<std::byte>(outputs_[k]); });
  }

 private:
  // A branch may have no plan for these sizes: that is an error if it is chosen.
  struct Branch {
    std::unique_ptr<const PlannedGraph> graph = nullptr;
    std::exception_ptr error = nullptr;
  };

  Branch planned(const Graph& graph, const std::vector<Tensor>& inputs,
                 const LoweringContext& context) const {
    try {
      Branch branch{std::make_unique<PlannedGraph>(graph, inputs, context, arguments_, 0)};
      const std::vector<Dims> made = branch.graph->output_dims();
      for (size_t k = 0; k < made.size(); ++k)
        check_stated_dims("cond", context.shaped.graph().value(outputs_[k]).name,
                          context.shaped.dims(outputs_[k]), made[k]);
      return branch;
    } catch (const Error&) {
      return {.error = std::current_exception()};
    }
  }

  const std::vector<ValueId> outputs_;
  ValueId condition_{};
  std::vector<ValueId> arguments_;
  Branch then_, otherwise_;
};

}  // namespace

StepDescriptor lower_branches(const LoweringContext& context, size_t node) {
  return {.reads = context.shaped.tensors(node),
          .writes = context.shaped.planned(node).outputs,
          .step = std::make_unique<BranchStep>(context, node),
          .kernel = "branch"};
}

StepDescriptor lower_nested(const LoweringContext& context, size_t node) {
  const Node& lowered = context.shaped.node(node);
  if (is_scan(lowered)) return lower_loop(context, node);
  return is_cond(lowered) ? lower_branches(context, node) : lower_while(context, node);
}

}  // namespace mithril::cpu_backend
