// The elements of slices, by the rules of Python.
#pragma once
#include <algorithm>
#include <cstdlib>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"

namespace mithril::snippets {

struct Range {
  int64_t start, count, step;
};

inline Range range_of(int64_t start, int64_t stop, int64_t step, int64_t size) {
  if (step == absent) step = 1;
  if (step < -INT64_MAX) step = -INT64_MAX;
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto place = [&](int64_t bound, int64_t otherwise) {
    if (bound == absent) return otherwise;
    return std::clamp(bound < 0 ? bound + size : bound, low, high);
  };
  start = place(start, step > 0 ? low : high);
  stop = place(stop, step > 0 ? high : low);
  const int64_t span = step > 0 ? stop - start : start - stop;
  return {start, span > 0 ? (span - 1) / std::abs(step) + 1 : 0, step};
}

inline int64_t number_at(None, size_t, int64_t otherwise) { return otherwise; }
template <size_t count>
int64_t number_at(const std::array<int64_t, count>& numbers, size_t i, int64_t) {
  return numbers[i];
}

// Starts at `start` and takes counts[axis] elements, steps[axis] apart, along each axis.
template <size_t rank>
struct SliceIteration {
  Dims<rank> counts, steps;
  int64_t start = 0;

  template <size_t slices, typename Steps, typename Axes>
  SliceIteration(const Dims<rank>& whole, const std::array<int64_t, slices>& starts,
                 const std::array<int64_t, slices>& stops, const Steps& step, const Axes& axes)
      : counts(whole), steps(strides(whole)) {
    for (size_t i = 0; i < slices; ++i) {
      const size_t axis = axis_of(number_at(axes, i, static_cast<int64_t>(i)), rank);
      const Range range = range_of(starts[i], stops[i], number_at(step, i, 1), whole[axis]);
      counts[axis] = range.count;
      start += range.start * steps[axis];
      steps[axis] *= range.step;
    }
  }
};

}  // namespace mithril::snippets
