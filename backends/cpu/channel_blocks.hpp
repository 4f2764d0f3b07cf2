// Values whose channels stand in blocks of 16: [N, C, H, W] as [N, C / 16, H, W, 16]. What
// convolutions hand on so is neither laid out for each of them nor put back.
#pragma once

#include <vector>

#include "backends/cpu/context.hpp"
#include "backends/cpu/windows.hpp"

namespace mithril::cpu_backend {

// Of what is broadcast to such a value, in the order in which its elements stand then.
Dims dims_in_blocks(const Dims& dims);

// Per value, whether it is made so: where convolutions make or read it that can, and whoever else
// does can, too. Empty: none.
std::vector<bool> choose_blocks(const Context& context);

}  // namespace mithril::cpu_backend
