// One axis of a window, with concrete sizes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mithril/infer/datum.hpp"

namespace mithril {

// The number for one axis, from a number for each axis or an int for all.
inline Datum per_axis(const Datum& numbers, size_t axis) {
  return numbers.kind() == kind::tuple ? numbers.tuple()[axis] : numbers;
}

// Tap k of output o reads input element o * stride - before + k * dilation.
struct WindowAxis {
  int64_t input = 1, kernel = 1, output = 1, stride = 1, before = 0, dilation = 1;

  int64_t at(int64_t out, int64_t tap) const { return out * stride - before + tap * dilation; }
  // The outputs from begin(tap) up to end(tap) have that tap inside the input.
  int64_t begin(int64_t tap) const { return reaching(0, tap); }
  int64_t end(int64_t tap) const { return std::max(begin(tap), reaching(input, tap)); }

  // The taps [first, last) of an output that read elements of the input.
  struct Taps {
    int64_t first, last;
    int64_t count() const { return last - first; }
  };
  Taps taps_of(int64_t out) const {
    // The first tap that reads `place` or beyond.
    const auto reaching = [&](int64_t place) {
      const int64_t distance = std::max<int64_t>(place - at(out, 0), 0);
      return std::min((distance + dilation - 1) / dilation, kernel);
    };
    return {reaching(0), reaching(input)};
  }

  // The elements from the first to the last that the outputs read, with the padding.
  int64_t extent() const { return (output - 1) * stride + (kernel - 1) * dilation + 1; }

 private:
  // The first output whose tap reads `place` or beyond.
  int64_t reaching(int64_t place, int64_t tap) const {
    const int64_t distance = place + before - tap * dilation;
    return distance <= 0 ? 0 : std::min(output, (distance + stride - 1) / stride);
  }
};

}  // namespace mithril
