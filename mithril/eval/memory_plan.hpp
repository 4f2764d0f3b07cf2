// Where values stand in one piece of memory, so that those that live at once never overlap.
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
  int64_t bytes = 0;             // that all of it takes
};

// The best of three ways: step by step, each value goes to the smallest gap that holds it, or to
// the end; and of up to 1024 live_ranges the largest, or the longest, go first, each to the lowest
// place. Beyond that it takes n log n. The sum of the sizes, each rounded up, fits 64 bits.
MemoryPlan plan_memory(std::span<const LiveRange> live_ranges);

}  // namespace mithril
