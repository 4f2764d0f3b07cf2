// Nodes with graphs: branches, and loops that a condition ends.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// Lowers a node of op `cond`. Both branches are planned, and share their memory. ShapeError E0210
// when a branch runs that makes other dims than the graph states.
StepDescriptor lower_branches(const LoweringContext& context, size_t node);

// Lowers a node of op `while_loop`. ShapeError E0219 if a step changes the dims of a carry.
StepDescriptor lower_while(const LoweringContext& context, size_t node);

// Lowers a node that contains graphs, whatever its op is.
StepDescriptor lower_nested(const LoweringContext& context, size_t node);

}  // namespace mithril::cpu_backend
