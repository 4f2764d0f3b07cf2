// Assigns offsets to values, so that values that live at the same time do not overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mithril {

// A value that is made in one step and read until another, both included.
struct LiveRange {
  int64_t bytes = 0;
  int32_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // of each lifetime, in bytes; multiples of 64
  int64_t bytes = 0;             // the size of the whole memory
};

// The best of three strategies. Step by step: each value goes to the smallest gap that holds it, or
// to the end. For up to 1024 live ranges, also the largest first, and the longest first: each goes
// to the lowest free offset. Beyond that it takes n log n. The sum of the sizes, each rounded up,
// fits 64 bits.
MemoryPlan plan_memory(std::span<const LiveRange> live_ranges);

}  // namespace mithril
