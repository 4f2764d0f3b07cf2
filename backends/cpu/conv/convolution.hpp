// Lowering of convolutions and their gradients.
#pragma once

#include <optional>

#include "backends/cpu/conv/geometry.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Lowers "convolution(input, weight, bias, stride, padding, dilation, groups)" and
// "convolution_input_grad(grad, input, weight, stride, padding, dilation, groups)". None if
// the dtypes differ or no kernel supports them.
Lowering lower_convolution;

// Lowers "integer_convolution(input, weight, bias, stride, padding, dilation, groups, input_zero)"
// of 8-bit integers with int32 sums. The input is int8 or uint8. Its zero point, a scalar or
// absent, is subtracted. The weight is a constant of int16.
Lowering lower_integer_convolution;

// Lowers "convolution_weight_grad(grad, input, weight, stride, padding, dilation, groups)". None
// unless all dtypes are float32, or all are float64.
Lowering lower_convolution_weight;

// The attributes of a convolution, and the kernels that compute it.
struct NchwcConvolution {
  Convolution convolution;
  const NchwcKernels* kernels;
};

// The convolution of a node that the blocked layout supports: float32, or bfloat16 with a float32
// result, with a bound weight, which is packed once. Otherwise nullopt.
std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node);

}  // namespace mithril::cpu_backend
