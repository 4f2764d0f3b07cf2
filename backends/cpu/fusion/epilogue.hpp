// Epilogues: elementwise steps that run on the tiles of a GEMM or a convolution while these are in
// the cache.
#pragma once

#include <span>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Merges an elementwise step into the step that makes its last input, if no other step and no
// output reads this input. The input then shares the buffer of an output of the elementwise step,
// or only tiles of it exist, or, if neither is possible, it keeps its buffer.
void fuse_epilogues(const LoweringContext& context, LoweredGraph& lowered,
                    std::span<const DonatedBuffer> donated);

}  // namespace mithril::cpu_backend
