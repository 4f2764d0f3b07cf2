// Block sizes that the kernels and their callers share.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

// Block size of k, in elements. It is chosen so that one operand of a tile stays in the L1 cache.
constexpr int64_t depth_block = 512;
// A float32 sum adds at most this many products in sequence. A longer sum is the total of such
// sums. docs/cpu-backend.md states the error bound.
constexpr int64_t longest_sum = 4096;

// The quotient count / by, rounded up.
inline int64_t up(int64_t count, int64_t by) { return (count + by - 1) / by; }

}  // namespace mithril::cpu_backend
