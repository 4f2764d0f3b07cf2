// Lowering of convolutions and their gradients.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "convolution(input, weight, bias, stride, padding, dilation, groups)" and
// "convolution_input_grad(grad, input, weight, stride, padding, dilation, groups)". Returns nullopt
// if the dtypes differ or no kernel supports them.
std::optional<StepDescriptor> lower_convolution(const LoweringContext& context, size_t node,
                                                const SpelledExpression& call);

// Lowers "convolution_weight_grad(grad, input, weight, stride, padding, dilation, groups)". Returns
// nullopt unless all dtypes are float32, or all are float64.
std::optional<StepDescriptor> lower_convolution_weight(const LoweringContext& context, size_t node,
                                                       const SpelledExpression& call);

}  // namespace mithril::cpu_backend
