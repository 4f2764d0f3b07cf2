// Steps that convolve where channels stand in blocks.
#pragma once

#include <optional>

#include "backends/cpu/conv/panel_convolution.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// What a node convolves, and by which kernels.
struct NchwcConvolution {
  Convolution convolution;
  const NchwcKernels* kernels;
};

// If there is a step for the node whose channels stand in blocks: of floats, or of bfloat16 into
// floats, with a weight that is a constant, for it is packed once for all.
std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node);

// For such a node: what it reads or makes that does not stand in blocks is rearranged.
StepDescriptor lower_nchwc_convolution(const LoweringContext& context,
                                       const NchwcConvolution& convolution,
                                       const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
