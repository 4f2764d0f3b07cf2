#include "mithril/optim/parameter_memory.hpp"

#include <algorithm>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {

void refuse_memory_blocks() {
  raise({.kind = ErrorKind::state,
         .code = "E0924",
         .message = "each process holds a block of the memory of the optimizer",
         .help = "call gather_optimizer() of the training step on all processes before"});
}

const Dims* dims_of(const ParameterMemory& memory) {
  std::vector<const Tensor*> tensors;
  for (const Tensor& slot : memory.slots) tensors.push_back(&slot);
  if (memory.average) tensors.push_back(&*memory.average);
  if (memory.gradient_sum) tensors.push_back(&*memory.gradient_sum);
  const bool agree = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor* each) {
    return each->dims() == tensors.front()->dims();
  });
  return agree && !tensors.empty() ? &tensors.front()->dims() : nullptr;
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
