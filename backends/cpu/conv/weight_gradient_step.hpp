// Steps that give the gradients of convolutions in their weights.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "convolution_weight_grad(grad, input, weight, stride, padding, dilation, groups)". Nothing where
// dtypes differ, or are none that kernels are for.
std::optional<StepDescriptor> lower_convolution_weight(const LoweringContext& context, size_t node,
                                                       const SpelledExpression& call);

}  // namespace mithril::cpu_backend
