// Lowers an elementwise program to a step descriptor.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// The cost of one element, in additions.
int64_t cost_of(const ElementwiseProgram& program);

StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program);

}  // namespace mithril::cpu_backend
