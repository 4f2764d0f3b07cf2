// What an optimizer keeps for a parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/tensor/blocks.hpp"

namespace mithril {

// The block of the memory of a parameter that a process of a group holds.
struct MemoryBlock : TensorBlock {
  bool of_parameter = false;  // the parameter and the sum of its gradients are such blocks, too
  bool operator==(const MemoryBlock&) const = default;
};

struct ParameterMemory {
  std::int64_t steps = 0;     // taken, the present one included while in `update`
  std::vector<Tensor> slots;  // one for each of slots(), with the dims of the parameter
  std::optional<Tensor> gradient_sum, average;  // where a TrainingStep asked for them
  std::optional<MemoryBlock> block = {};        // that slots and average are; none: they are whole
};

// StateError E0924.
[[noreturn]] void refuse_memory_blocks();
// An update would leave out what a TrainingStep keeps in the optimizer. StateError E0926 if it
// holds sums of this many gradients, E0927 if it holds averages of parameters after this many
// updates.
void refuse_gradient_sums(std::int64_t micro_steps);
void refuse_averages(std::int64_t averaged);

// The average of a parameter that was frozen in all updates so far; with a block, of the block.
Tensor average_until_now(const Tensor& param, const std::optional<MemoryBlock>& block);

// The dims of all its tensors; null: it has none, or their dims differ.
const Dims* dims_of(const ParameterMemory& memory);
// The tensors become copies of themselves, or of their blocks (cut_memory).
void take_memory(ParameterMemory& memory, const std::optional<MemoryBlock>& block);

// The slots and the average become blocks of themselves, and so does the sum of the gradients of a
// parameter that is a block.
void cut_memory(ParameterMemory& memory, const MemoryBlock& block);

}  // namespace mithril
