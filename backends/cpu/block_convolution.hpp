// Steps that convolve where channels stand in blocks.
#pragma once

#include <optional>

#include "backends/cpu/convolution_panels.hpp"

namespace mithril::cpu_backend {

// What a node convolves, if there is a step for it whose channels stand in blocks: of floats, with
// a weight that is a constant, for it is packed once for all.
std::optional<Convolution> convolution_for_blocks(const Context& context, size_t node);

// For such a node, of which what it reads or makes stands in blocks, or both; what does not is
// rearranged.
Draft draft_block_convolution(const Context& context, const Convolution& convolution,
                              const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
