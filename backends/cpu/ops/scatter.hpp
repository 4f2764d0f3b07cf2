// Rows that are added up where they were gathered from.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "scattered(input, index, like, axis)". Nothing where the index is a number.
std::optional<StepDescriptor> lower_scattering(const LoweringContext& context, size_t node,
                                               const SpelledExpression& call);

}  // namespace mithril::cpu_backend
