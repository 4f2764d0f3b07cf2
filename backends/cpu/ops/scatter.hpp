// Steps that add rows to the positions from which they were gathered.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "scattered(input, index, like, axis)". None if `index` is a number, the output is empty,
// or the elements are not float32 or float64.
std::optional<StepDescriptor> lower_scattering(const LoweringContext& context, size_t node,
                                               const SpelledExpression& call);

}  // namespace mithril::cpu_backend
