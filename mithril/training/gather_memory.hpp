// Gathers the memory of an optimizer of which the processes of a group hold blocks.
#pragma once

#include "mithril/compile/compiled_state.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

// All processes of the group of the model call them, for the same parameters in the same order.

// Gathers slots, averages and sums of gradients. Does nothing if they are whole.
void gather_memory(const CompiledState& compiled, Optimizer& optimizer);
// The average of a parameter, which exists: of the whole parameter, or of the block of it that this
// process holds.
Tensor average_of(const CompiledState& compiled, const std::string& key,
                  const Optimizer::ParameterMemory& memory);

}  // namespace mithril
