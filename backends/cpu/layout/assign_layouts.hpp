// Values whose channels stand in blocks, of 16: [N, C, H, W] as [N, C / 16, H, W, 16]. What
// convolutions hand on so is neither laid out for each of them nor put back.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

struct ChannelBlocks {
  std::vector<bool> values;  // per value, whether it is made so; empty: none
  int64_t channels = 1;      // of a block: the same for all
};

// Where convolutions make or read a value that can, and whoever else does can, too.
ChannelBlocks choose_blocks(const LoweringContext& context);

}  // namespace mithril::cpu_backend
