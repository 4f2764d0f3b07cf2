// From a composed model to what runs it in one mode.
#pragma once

#include "mithril/compile/parts.hpp"

namespace mithril {

// Fills in all but the programs, for parts.mode. ShapeError E0209 for a state whose shape is not
// known; BackendError E1001 for ops that the backend lacks.
void assemble(CompiledParts& parts, const Composed& composed);

}  // namespace mithril
