// Steps of layer normalization over the last axis, and of its gradients.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "layer_norm(input, weight, bias, eps)", whose outputs are the result, the means and the
// reciprocal standard deviations, or "layer_norm_grad(grad, input, mean, rstd, weight)", whose
// outputs are the gradients of input, weight and bias. None for dtypes without kernels and for
// empty rows.
std::optional<StepDescriptor> lower_norm(const LoweringContext& context, size_t node,
                                         const SpelledExpression& call);

}  // namespace mithril::cpu_backend
