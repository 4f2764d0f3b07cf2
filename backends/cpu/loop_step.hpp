// Loops: a body that is planned once, and run in each step.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// Lowers a node of op `scan`. The step has the memory of its body and two buffers for each carry in
// its scratch memory. A run allocates nothing. ShapeError E0219 if a step changes the dims of a
// carry, E0210 if it makes other dims than the graph states.
StepDescriptor lower_loop(const LoweringContext& context, size_t node);

}  // namespace mithril::cpu_backend
