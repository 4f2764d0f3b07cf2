// Steps that convolve where channels stand in blocks.
#pragma once

#include <optional>

#include "backends/cpu/conv/panel_convolution.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// What a node convolves, and by which kernels.
struct BlockConvolution {
  Convolution convolution;
  const BlockKernels* kernels;
};

// If there is a step for the node whose channels stand in blocks: of floats, or of bfloat16 into
// floats, with a weight that is a constant, for it is packed once for all.
std::optional<BlockConvolution> convolution_for_blocks(const LoweringContext& context, size_t node);

// For such a node: what it reads or makes that does not stand in blocks is rearranged.
StepDescriptor lower_block_convolution(const LoweringContext& context,
                                       const BlockConvolution& convolution,
                                       const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
