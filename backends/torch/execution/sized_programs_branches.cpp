// Nodes with graphs: programs for the graphs, branches, and loops that a condition ends.
#include <ATen/ATen.h>

#include <algorithm>

#include "backends/torch/execution/sized_programs.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {

void SizedPrograms::load_nested(const Settings& settings, RunOptions options) {
  options.recordings = nullptr;
  options.scripted = false;
  options.donations.clear();
  options.saved_inputs = 0;
  options.kept_outputs = SIZE_MAX;
  for (size_t n = 0; n < graph_.nodes().size(); ++n) {
    for (Graph& graph : nested_graphs(graph_.nodes()[n])) {
      options.observer = observer_ && observes(*observer_, graph) ? observer_ : nullptr;
      nested_[n].push_back(
          std::make_unique<const SizedPrograms>(std::move(graph), settings, options));
    }
  }
}

void SizedPrograms::run_nested(const Node& node, const Nested& graphs, const PlannedNode& planned,
                               Run& run) const {
  if (is_scan(node)) return run_loop(node, *graphs.front(), planned, run);
  is_cond(node) ? run_branch(node, graphs, planned, run) : run_while(node, graphs, planned, run);
}

void SizedPrograms::run_branch(const Node& node, const Nested& branches, const PlannedNode& planned,
                               Run& run) const {
  const auto tensor = [&](size_t argument) {
    return run.registers[static_cast<size_t>(planned.tensors[argument])].toTensor();
  };
  std::vector<at::Tensor> given;
  for (size_t i = 0; i < node.list_size(); ++i)
    given.push_back(tensor(node.argument_index("arguments") + i));
  const bool chosen = tensor(node.argument_index("condition")).item<bool>();
  std::vector<at::Tensor> made = branches[chosen ? 0 : 1]->run(given, run.scope);
  for (size_t k = 0; k < made.size(); ++k) {
    const std::string& name = graph_.value(planned.outputs[k]).name;
    check_stated_dims("cond", name, planned.output_dims[k], made[k].sizes().vec());
    run.registers[index(planned.outputs[k])] = std::move(made[k]);
  }
  run.scope.check(graph_.value(planned.outputs.front()).name, planned.op->name);
}

void SizedPrograms::run_while(const Node& node, const Nested& graphs, const PlannedNode& planned,
                              Run& run) const {
  std::vector<at::Tensor> inputs;
  for (size_t i = 0; i < node.list_size(); ++i)
    inputs.push_back(run.registers[static_cast<size_t>(planned.tensors[i])].toTensor());
  const std::vector<at::Tensor> given = inputs;
  StepScope running;
  for (int64_t n = 0; graphs.front()->run(inputs, run.scope).front().item<bool>(); ++n) {
    check_interrupt();
    std::vector<at::Tensor> made = graphs.back()->run(inputs, run.scope);
    if (n == 0) check_step(node, given, made);
    std::move(made.begin(), made.end(), inputs.begin());
    running.set(n + 1);
  }
  for (size_t k = 0; k < planned.outputs.size(); ++k)
    run.registers[index(planned.outputs[k])] = inputs[k];
  run.scope.check(graph_.value(planned.outputs.front()).name, planned.op->name);
}

}  // namespace mithril::torch_backend
