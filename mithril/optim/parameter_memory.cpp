#include "mithril/optim/parameter_memory.hpp"

#include "mithril/base/error.hpp"

namespace mithril {

void refuse_memory_blocks() {
  raise({.kind = ErrorKind::state,
         .code = "E0924",
         .message = "each process holds a block of the memory of the optimizer",
         .help = "call gather_optimizer() of the training step on all processes before"});
}

const Dims* dims_of(const ParameterMemory& memory) {
  if (!memory.slots.empty()) return &memory.slots.front().dims();
  if (memory.average) return &memory.average->dims();
  return memory.gradient_sum ? &memory.gradient_sum->dims() : nullptr;
}

void take_memory(ParameterMemory& memory, const std::optional<MemoryBlock>& block) {
  if (memory.gradient_sum && !(block && block->of_parameter))
    memory.gradient_sum = memory.gradient_sum->copy();
  if (block) return cut_memory(memory, *block);
  for (Tensor& slot : memory.slots) slot = slot.copy();
  if (memory.average) memory.average = memory.average->copy();
}

void cut_memory(ParameterMemory& memory, const MemoryBlock& block) {
  for (Tensor& slot : memory.slots) slot = cut_block(slot.host(), block);
  if (memory.average) memory.average = cut_block(memory.average->host(), block);
  if (memory.gradient_sum && block.of_parameter)
    memory.gradient_sum = cut_block(memory.gradient_sum->host(), block);
  memory.block = block;
}

}  // namespace mithril
