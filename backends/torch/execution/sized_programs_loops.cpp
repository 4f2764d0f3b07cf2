// Loops: a program for the body, which runs in each step.
#include <ATen/ATen.h>

#include <algorithm>

#include "backends/torch/device/dtypes.hpp"
#include "backends/torch/execution/sized_programs.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

Dims dims_of(const at::Tensor& tensor) { return tensor.sizes().vec(); }

}  // namespace

void SizedPrograms::run_loop(const Node& node, const SizedPrograms& body,
                             const PlannedNode& planned, Run& run) const {
  const auto value = [&](std::string_view port) -> const Datum& {
    return planned.values[node.argument_index(port)];
  };
  const auto carries = static_cast<size_t>(value("carries").integer());
  const auto sequences = static_cast<size_t>(value("sequences").integer());
  const int64_t length = value("length").integer();
  const bool reverse = value("reverse").flag();
  std::vector<at::Tensor> given, inputs;
  for (size_t i = 0; i < node.list_size(); ++i)
    given.push_back(run.registers[static_cast<size_t>(planned.tensors[i])].toTensor());
  inputs = given;
  std::vector<std::vector<at::Tensor>> stacks(planned.outputs.size() - carries);
  StepScope running(value("numbers"));
  for (int64_t n = 0; n < length; ++n) {
    const int64_t at = reverse ? length - 1 - n : n;
    running.set(at);
    for (size_t i = carries; i < carries + sequences; ++i) inputs[i] = given[i].select(0, at);
    const std::vector<at::Tensor> made = body.run(inputs, run.scope);
    if (n == 0) check_step(node, given, made);
    for (size_t k = 0; k < made.size(); ++k)
      k < carries ? void(inputs[k] = made[k]) : stacks[k - carries].push_back(made[k]);
  }
  for (size_t k = 0; k < planned.outputs.size(); ++k) {
    const Value& output = graph_.value(planned.outputs[k]);
    c10::IValue& result = run.registers[index(planned.outputs[k])];
    if (k < carries) {
      result = inputs[k];
      continue;
    }
    std::vector<at::Tensor>& steps = stacks[k - carries];
    if (reverse) std::reverse(steps.begin(), steps.end());
    result = length > 0 ? at::stack(steps)
                        : at::empty(planned.output_dims[k],
                                    at::dtype(scalar_type(output.dtype)).device(target_.device));
  }
  run.scope.check(graph_.value(planned.outputs.front()).name, planned.op->name);
}

void SizedPrograms::check_step(const Node& node, const std::vector<at::Tensor>& given,
                               const std::vector<at::Tensor>& made) {
  std::vector<Dims> before, after;
  for (const at::Tensor& tensor : given) before.push_back(dims_of(tensor));
  for (const at::Tensor& tensor : made) after.push_back(dims_of(tensor));
  const auto body = nested_graph(node, "body");
  const Graph& step = body->graph();
  check_carries(step, is_scan(node) ? carries_of_scan(node) : step.outputs().size(), before, after);
}

}  // namespace mithril::torch_backend
