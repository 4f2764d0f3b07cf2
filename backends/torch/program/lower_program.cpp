// Lowers each node of a graph of known sizes.
#include "backends/torch/program/program.hpp"

namespace mithril::torch_backend {

TorchProgram lower(const Graph& graph, Plan plan, const Target& target) {
  std::vector<Dims> dims(graph.values().size());
  for (size_t i = 0; i < plan.inputs.size(); ++i) dims[index(graph.inputs()[i])] = plan.inputs[i];
  for (const Constant& constant : graph.constants()) {
    dims[index(constant.value)] = constant.tensor.dims();
  }
  TorchProgram program{
      .plan = std::move(plan), .target = target, .nodes = {}, .registers = graph.values().size()};
  for (const PlannedNode& node : program.plan.nodes) {
    std::vector<Dims> arguments;
    for (const int32_t at : node.tensors) {
      arguments.push_back(at >= 0 ? dims[static_cast<size_t>(at)] : Dims{});
    }
    program.nodes.push_back(lower(graph, node, arguments, target, program.registers));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      dims[index(node.outputs[i])] = node.output_dims[i];
    }
  }
  return program;
}

}  // namespace mithril::torch_backend
