// Convolutions of bfloat16 by the processor's own instruction for products of pairs.
#pragma once

#include <vector>

#include "backends/cpu/conv/panel_convolution.hpp"

namespace mithril::cpu_backend {

// With pairs of channels in the place of channels of floats.
Convolution in_pairs(Convolution convolution);

// The weight as pairs of channels, of 0 where the last is alone.
std::vector<float> paired_weight(const Tensor& weight);

// `descriptor` convolves pairs, by the kernels for them: its source, and its weight where that is
// no constant, are brought together beforehand.
StepDescriptor lower_bf16_convolution(const LoweringContext& context,
                                      const Convolution& convolution,
                                      const ConvolutionValues& values, StepDescriptor descriptor);

}  // namespace mithril::cpu_backend
