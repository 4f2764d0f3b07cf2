// Steps that convolve, and that give the gradient in what was convolved.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "convolution(input, weight, bias, stride, padding, dilation, groups)", or
// "convolution_input_grad(grad, input, weight, stride, padding, dilation, groups)". Nothing where
// dtypes differ, or are none that kernels are for.
std::optional<StepDescriptor> lower_convolution(const LoweringContext& context, size_t node,
                                                const SpelledExpression& call);

}  // namespace mithril::cpu_backend
