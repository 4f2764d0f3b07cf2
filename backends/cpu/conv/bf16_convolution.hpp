// Convolutions of bfloat16 with AVX-512 BF16, which multiplies VNNI pairs.
#pragma once

#include "backends/cpu/conv/convolution_step.hpp"

namespace mithril::cpu_backend {

// `descriptor` convolves VNNI pairs. The returned step packs the source to pairs before each run,
// and the weight too if it is not bound.
StepDescriptor lower_bf16_convolution(const LoweringContext& context,
                                      const Convolution& convolution,
                                      const ConvolutionValues& values, StepDescriptor descriptor);

}  // namespace mithril::cpu_backend
