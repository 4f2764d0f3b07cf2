// Convolutions of bfloat16 with AVX-512 BF16, which multiplies VNNI pairs.
#pragma once

#include <vector>

#include "backends/cpu/conv/panel_convolution.hpp"

namespace mithril::cpu_backend {

// The same convolution with VNNI pairs of input channels in place of float32 channels.
Convolution in_pairs(Convolution convolution);

// Packs a bfloat16 weight to VNNI pairs of input channels. An odd last channel is paired with 0.
std::vector<float> paired_weight(const Tensor& weight);

// `descriptor` convolves VNNI pairs. The returned step packs the source to pairs before each run,
// and the weight too if it is not bound.
StepDescriptor lower_bf16_convolution(const LoweringContext& context,
                                      const Convolution& convolution,
                                      const ConvolutionValues& values, StepDescriptor descriptor);

}  // namespace mithril::cpu_backend
