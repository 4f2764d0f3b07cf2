#include "backends/torch/kernels/update_in_place.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "backends/torch/kernels/fused_kernel.hpp"

namespace mithril::torch_backend {
namespace {

using DonatedInputs = std::unordered_map<ValueId, ValueId>;  // of outputs

// For each output of a batch, the input that it may overwrite, or -1.
std::vector<std::ptrdiff_t> overwrites_of(const FusedKernel& batch,
                                          const std::vector<ValueId>& released,
                                          const DonatedInputs& donated) {
  const size_t inputs = batch.steps.size(), outputs = batch.outputs.size() / batch.groups;
  std::unordered_map<ValueId, int> reads;
  for (const FusedKernel::Port& port : batch.inputs) ++reads[port.value];
  const auto input_of = [&](size_t output) -> std::ptrdiff_t {
    const auto found = donated.find(batch.outputs[output].value);
    if (found == donated.end()) return -1;
    const ValueId input = found->second;
    const bool is_last_read = std::find(released.begin(), released.end(), input) != released.end();
    if (!is_last_read || reads[input] != 1) return -1;
    const size_t first = output / outputs * inputs;  // of the same group
    for (size_t i = 0; i < inputs; ++i) {
      if (batch.inputs[first + i].value == input && batch.steps[i] == 1)
        return static_cast<std::ptrdiff_t>(first + i);
    }
    return -1;
  };
  std::vector<std::ptrdiff_t> overwrites;
  for (size_t i = 0; i < batch.outputs.size(); ++i) overwrites.push_back(input_of(i));
  return overwrites;
}

}  // namespace

void update_in_place(const Graph& graph, TorchProgram& program,
                     std::span<const Donation> donations) {
  DonatedInputs donated;
  for (const Donation& at : donations)
    donated.emplace(graph.outputs()[at.output].value, graph.inputs()[at.input]);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    std::shared_ptr<const FusedKernel>& fused = program.nodes[i].fused;
    if (!fused || fused->groups == 1) continue;
    FusedKernel changed = *fused;
    changed.overwrites = overwrites_of(*fused, program.plan.nodes[i].released, donated);
    fused = std::make_shared<const FusedKernel>(std::move(changed));
  }
}

}  // namespace mithril::torch_backend
