// Layout assignment: which values get the blocked layout NCHW16c, [N, C / 16, H, W, 16] in memory
// for dims [N, C, H, W].
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// A value gets the blocked layout if a convolution reads or makes it, its channels fill whole
// blocks, and no other node or output requires NCHW.
BlockedLayouts assign_layouts(const LoweringContext& context);

}  // namespace mithril::cpu_backend
