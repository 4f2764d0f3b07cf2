// Windows over the last two axes of a tensor.
#pragma once
#include <algorithm>
#include <tuple>
#include <type_traits>

#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// The number for one axis, from a number or a tuple with a number for each axis.
template <size_t axis, typename Numbers>
auto along(const Numbers& numbers) {
  if constexpr (std::is_integral_v<Numbers>) {
    return numbers;
  } else {
    return std::get<axis>(numbers);
  }
}

// One axis of a window: output i reads the input at i * stride - before + tap * dilation.
struct Window {
  int64_t input, kernel, output, stride, before, dilation;

  int64_t at(int64_t i, int64_t tap) const { return i * stride - before + tap * dilation; }
  // The number of elements from the first tap of the first window to the last tap of the last one.
  int64_t reach() const {
    return output > 0 ? (output - 1) * stride + (kernel - 1) * dilation + 1 : 0;
  }
  // The outputs from begin(tap) up to end(tap) have that tap inside the input.
  int64_t begin(int64_t tap) const { return reaching(0, tap); }
  int64_t end(int64_t tap) const { return std::max(begin(tap), reaching(input, tap)); }
  int64_t reaching(int64_t place, int64_t tap) const {
    const int64_t distance = place + before - tap * dilation;
    return distance <= 0 ? 0 : std::min(output, (distance + stride - 1) / stride);
  }
};

// Axis number `axis` of the last two, for tensors of these dims before and after the window.
template <size_t axis, size_t rank, typename Stride, typename Padding, typename Dilation>
Window window_along(const Dims<rank>& from, const Dims<rank>& to, int64_t kernel, Stride stride,
                    Padding padding, Dilation dilation) {
  return {from[rank - 2 + axis],
          kernel,
          to[rank - 2 + axis],
          along<axis>(stride),
          along<0>(along<axis>(padding)),
          along<axis>(dilation)};
}

// Calls body(tap, from, to, count) for runs of contiguous outputs of one plane: output to + i reads
// the input at from + i * columns.stride.
template <typename Body>
void each_run(const Window& rows, const Window& columns, Body body) {
  for (int64_t p = 0; p < rows.kernel; ++p) {
    for (int64_t q = 0; q < columns.kernel; ++q) {
      const int64_t begin = columns.begin(q), count = columns.end(q) - begin;
      if (count <= 0) continue;
      for (int64_t i = rows.begin(p); i < rows.end(p); ++i) {
        body(p * columns.kernel + q, rows.at(i, p) * columns.input + columns.at(begin, q),
             i * columns.output + begin, count);
      }
    }
  }
}

}  // namespace mithril::snippets
