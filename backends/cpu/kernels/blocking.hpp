// How work is cut into blocks.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

// Of k: as long as what a tile reads of one side stays in the first-level cache.
constexpr int64_t depth_block = 512;
// A float32 sum adds at most this many products one after another; a longer one is a sum of such
// sums. docs/cpu-backend.md states the bound of the error.
constexpr int64_t longest_sum = 4096;

// Divided, and rounded up.
inline int64_t up(int64_t count, int64_t by) { return (count + by - 1) / by; }

}  // namespace mithril::cpu_backend
