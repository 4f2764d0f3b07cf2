// The choice of a form in the NCHW16c (blocked) layout.
#pragma once

#include <memory>
#include <optional>

#include "backends/cpu/conv/convolution_step.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// The attributes of a convolution, and the kernels that compute it.
struct NchwcConvolution {
  Convolution convolution;
  const NchwcKernels* kernels;
};

// The convolution of a node that the blocked layout supports: float32, or bfloat16 with a float32
// result, with a bound weight, which is packed once. Otherwise nullopt.
std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node);

// The form of such a node. It converts a source or result that is planar.
std::shared_ptr<const ConvolutionForm> nchwc_form(const LoweringContext& context,
                                                  const NchwcConvolution& convolution,
                                                  const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
