// Lowers each node of a graph of known sizes.
#include "backends/torch/program/program.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {

ExchangePart exchange_part(const std::string& operation) {
  const bool starts = operation == "mithril::all_reduce_start";
  MITHRIL_CHECK(starts || operation == "mithril::all_reduce_wait",
                "the backend on PyTorch has no collective " + operation);
  return starts ? ExchangePart::start : ExchangePart::wait;
}

TorchProgram lower(const Graph& graph, Plan plan, const Target& target) {
  TorchProgram program{
      .plan = std::move(plan), .target = target, .nodes = {}, .registers = graph.values().size()};
  const std::vector<const Dims*> dims = program.plan.dims_of_values(graph);
  for (const PlannedNode& node : program.plan.nodes) {
    std::vector<Dims> arguments;
    for (const int32_t at : node.tensors) {
      arguments.push_back(at >= 0 ? *dims[static_cast<size_t>(at)] : Dims{});
    }
    program.nodes.push_back(lower(graph, node, arguments, target, program.registers));
  }
  return program;
}

}  // namespace mithril::torch_backend
