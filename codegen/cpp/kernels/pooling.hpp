// Shared by pooling: the elements of each window.
#pragma once
#include <cmath>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/window.hpp"

namespace mithril::snippets {

struct Pooling {
  Window rows, columns;
  int64_t planes;

  // For tensors of these dims before and after pooling; the default stride is the kernel size.
  template <size_t rank, typename Kernel, typename Stride, typename Padding, typename Dilation>
  Pooling(const Dims<rank>& from, const Dims<rank>& to, const Kernel& kernel, const Stride& stride,
          const Padding& padding, const Dilation& dilation)
      : rows(axis_of_window<0>(from, to, kernel, stride, padding, dilation)),
        columns(axis_of_window<1>(from, to, kernel, stride, padding, dilation)),
        planes(product(from, 0, rank - 2)) {}

  int64_t inputs() const { return rows.input * columns.input; }     // of one plane
  int64_t outputs() const { return rows.output * columns.output; }  // of one plane
  int64_t taps() const { return rows.kernel * columns.kernel; }

  // Calls body(from, to) for every element of a window and the output of the window.
  template <typename Body>
  void each_element(Body body) const {
    for (int64_t plane = 0; plane < planes; ++plane) {
      const int64_t first = plane * inputs(), result = plane * outputs();
      each_run(rows, columns, [&](int64_t, int64_t from, int64_t to, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          body(first + from + i * columns.stride, result + to + i);
        }
      });
    }
  }

  // Calls body(at, to) with the first largest element of the window of each output, or the last
  // NaN; at is -1 if the window holds only padding.
  template <typename X, size_t rank, typename Body>
  void each_largest(Tensor<X, rank> input, Body body) const {
    for (int64_t to = 0; to < planes * outputs(); ++to) {
      const int64_t first = to / outputs() * inputs(), place = to % outputs();
      const int64_t i = place / columns.output, j = place % columns.output;
      int64_t best = -1;
      for (int64_t p = 0; p < rows.kernel; ++p) {
        const int64_t row = rows.at(i, p);
        for (int64_t q = 0; q < columns.kernel && row >= 0 && row < rows.input; ++q) {
          const int64_t column = columns.at(j, q);
          if (column < 0 || column >= columns.input) continue;
          const int64_t at = first + row * columns.input + column;
          const bool is_nan = std::isnan(static_cast<double>(input[at]));
          if (best < 0 || input[at] > input[best] || is_nan) best = at;
        }
      }
      body(best, to);
    }
  }

 private:
  template <size_t axis, size_t rank, typename Kernel, typename Stride, typename Padding,
            typename Dilation>
  static Window axis_of_window(const Dims<rank>& from, const Dims<rank>& to, const Kernel& kernel,
                               const Stride& stride, const Padding& padding,
                               const Dilation& dilation) {
    const int64_t taps = along<axis>(kernel);
    if constexpr (is_given<Stride>) {
      return window_along<axis>(from, to, taps, stride, padding, dilation);
    } else {
      return window_along<axis>(from, to, taps, kernel, padding, dilation);
    }
  }
};

}  // namespace mithril::snippets
