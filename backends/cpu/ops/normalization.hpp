// Steps that normalise the last axis, and their gradients.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "layer_norm(input, weight, bias, eps)", which makes the result, the means and the reciprocal
// deviations, and "layer_norm_grad(grad, input, mean, rstd, weight)", which makes the gradients of
// input, weight and bias. Nothing for dtypes that kernels are not for, and for rows of no elements.
std::optional<StepDescriptor> lower_norm(const LoweringContext& context, size_t node,
                                         const SpelledExpression& call);

}  // namespace mithril::cpu_backend
