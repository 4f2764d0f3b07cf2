// Lowers an elementwise program to a step descriptor.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program);

}  // namespace mithril::cpu_backend
