// Lowering of convolutions and their gradients.
#pragma once

#include <optional>

#include "backends/cpu/conv/implicit_gemm_geometry.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"
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

// The attributes of a convolution, and the kernels that compute it.
struct NchwcConvolution {
  Convolution convolution;
  const NchwcKernels* kernels;
};

// The convolution of a node that the blocked layout supports: float32, or bfloat16 with a float32
// result, with a bound weight, which is packed once. Otherwise nullopt.
std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node);

}  // namespace mithril::cpu_backend
