// Block sizes that the kernels and their callers share, and rounding to blocks.
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
// `count` rounded up to a multiple of `by`.
inline int64_t round_up(int64_t count, int64_t by) { return up(count, by) * by; }
// A number of elements of at least 4 bytes, rounded up to whole cache lines of 64 bytes.
inline int64_t whole_lines(int64_t count) { return round_up(count, 16); }

}  // namespace mithril::cpu_backend
