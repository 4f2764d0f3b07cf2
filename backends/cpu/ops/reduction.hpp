// Steps that reduce axes.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "sum(input, axis)", "mean(input, axis)", "max(input, axis)", "min(input, axis)", and
// "sum_to(input, like)", which sums over the axes along which `like` would be broadcast. None for
// dtypes without kernels and for empty inputs.
std::optional<StepDescriptor> lower_reduction(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

// Whether the node reduces the last two axes of a float32 tensor [N, C, H, W]. The input may then
// have the blocked layout.
bool reduces_planes(const ShapedGraph& shaped, size_t node, const SpelledExpression& call);

}  // namespace mithril::cpu_backend
