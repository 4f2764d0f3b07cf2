// Steps that make one of many elements, along some axes.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "sum(input, axis)", "mean(input, axis)", "max(input, axis)", "min(input, axis)", and
// "sum_to(input, like)", which sums what `like` would be broadcast along. Nothing for dtypes that
// kernels are not for, and where there are no elements.
std::optional<StepDescriptor> lower_reduction(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

// Whether it reduces the last two axes of floats [N, C, H, W], whose channels may stand in blocks
// then.
bool reduces_planes(const ShapedGraph& shaped, size_t node, const SpelledExpression& call);

}  // namespace mithril::cpu_backend
