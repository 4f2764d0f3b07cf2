#include "mithril/optim/parameter_memory.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {

void refuse_memory_blocks() {
  raise({.kind = ErrorKind::state,
         .code = "E0924",
         .message = "each process holds a block of the memory of the optimizer",
         .help = "call gather_optimizer() of the training step on all processes before"});
}

void refuse_gradient_sums(std::int64_t micro_steps) {
  if (micro_steps == 0) return;
  raise({.kind = ErrorKind::state,
         .code = "E0926",
         .message = "step of an optimizer would drop the sums of gradients that it holds",
         .facts = {{"gradients in each sum", std::to_string(micro_steps)}},
         .help =
             "call the training step that accumulates them until it updates; to drop them, load "
             "the state_dict without 'micro_steps'"});
}

void refuse_averages(std::int64_t averaged) {
  if (averaged == 0) return;
  raise({.kind = ErrorKind::state,
         .code = "E0927",
         .message = "the optimizer holds averages of parameters, which this update would leave out",
         .facts = {{"updates in the averages", std::to_string(averaged)}},
         .help = "make a training step with average=EMA() or SWA(); to drop the averages, load the "
                 "state_dict without 'averaged'"});
}

Tensor average_until_now(const Tensor& param, const std::optional<MemoryBlock>& block) {
  const Tensor whole = param.host().to(opmath_dtype(param.dtype()));
  return block ? cut_block(whole, *block) : whole.copy();
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
