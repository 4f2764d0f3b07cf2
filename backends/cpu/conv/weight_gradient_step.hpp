// Lowering of the weight gradients of convolutions.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "convolution_weight_grad(grad, input, weight, stride, padding, dilation, groups)". Returns
// nullopt unless all dtypes are float32, or all are float64.
std::optional<StepDescriptor> lower_convolution_weight(const LoweringContext& context, size_t node,
                                                       const SpelledExpression& call);

}  // namespace mithril::cpu_backend
