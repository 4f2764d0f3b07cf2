// Makes the memory of an optimizer whole of which the processes of a group hold blocks.
#pragma once

#include "mithril/compile/compiled_state.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

// All processes of the group of the model call them, for the same parameters in the same order.

// Slots and averages. Does nothing if they are whole.
void gather_memory(const CompiledState& compiled, Optimizer& optimizer);
// The average of a parameter, which exists.
Tensor whole_average(const CompiledState& compiled, const Optimizer::ParameterMemory& memory);

}  // namespace mithril
