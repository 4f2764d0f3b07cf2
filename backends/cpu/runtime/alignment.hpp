// Sizes of scratch memory in whole cache lines.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {

// `count` rounded up to a multiple of `by`.
inline int64_t round_up(int64_t count, int64_t by) { return up(count, by) * by; }

// Rounds a number of elements of at least 4 bytes up to whole cache lines of 64 bytes.
inline int64_t whole_lines(int64_t count) { return round_up(count, 16); }

}  // namespace mithril::cpu_backend
