// The items of a slice, by Python's rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "mithril/infer/datum.hpp"

namespace mithril {

// The items start, start + step, ..., `count` of them.
struct ItemRange {
  int64_t start = 0, count = 0, step = 1;
};

// The items that a slice selects of `size`; its ints are known and its step is not 0.
inline ItemRange range_of(const Slice& slice, int64_t size) {
  constexpr int64_t longest = std::numeric_limits<int64_t>::max();
  const int64_t step = slice.step.is_none() ? 1 : std::max(slice.step.integer(), -longest);
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto place = [&](const Datum& bound, int64_t absent) {
    if (bound.is_none()) return absent;
    const int64_t at = bound.integer();
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  const int64_t start = place(slice.start, step > 0 ? low : high);
  const int64_t stop = place(slice.stop, step > 0 ? high : low);
  const int64_t span = step > 0 ? stop - start : start - stop;
  return {start, span > 0 ? (span - 1) / std::abs(step) + 1 : 0, step};
}

}  // namespace mithril
