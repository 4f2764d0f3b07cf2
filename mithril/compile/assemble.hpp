// Builds the graph and the key tables of one mode from a composed model.
#pragma once

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

// Fills in everything except the programs, for compiled.mode. ShapeError E0209 for a state whose
// shape is not known; BackendError E1001 for ops that the backend lacks.
void assemble(CompiledState& compiled, const Composed& composed);

}  // namespace mithril
