#include "mithril/training/gather_memory.hpp"

#include <utility>
#include <vector>

#include "mithril/compile/parameter_blocks.hpp"

namespace mithril {
namespace {

Communicator& group_of(const CompiledState& compiled, const MemoryBlock& block) {
  return block.of_parameter ? *compiled.model_group : *compiled.data_group;
}

}  // namespace

void gather_memory(const CompiledState& compiled, Optimizer& optimizer) {
  for (auto& [key, memory] : optimizer.memories()) {
    if (!memory.block) continue;
    const MemoryBlock& block = *memory.block;
    Communicator& group = group_of(compiled, block);
    std::vector<Tensor> slots;
    for (const Tensor& slot : memory.slots) slots.push_back(gathered(group, slot, block));
    if (memory.average) memory.average = gathered(group, *memory.average, block);
    if (memory.gradient_sum && block.of_parameter)
      memory.gradient_sum = gathered(group, *memory.gradient_sum, block);
    memory.slots = std::move(slots);
    memory.block.reset();
  }
}

Tensor average_of(const CompiledState& compiled, const std::string& key,
                  const Optimizer::ParameterMemory& memory) {
  if (memory.block && memory.block->of_parameter) return *memory.average;
  if (!memory.block) {
    const std::optional<TensorBlock> block = parameter_block(compiled, key);
    return block ? cut_block(memory.average->host(), *block) : *memory.average;
  }
  return gathered(*compiled.data_group, *memory.average, *memory.block);
}

}  // namespace mithril
