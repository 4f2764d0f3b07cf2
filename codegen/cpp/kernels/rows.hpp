// Rows along an axis, for softmax and its gradient.
#pragma once
#include <limits>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/float_functions.hpp"
#include "codegen/cpp/kernels/partial_sums.hpp"

namespace mithril::snippets {

// Calls body(at, size) for each row; at(k) is the index of its element k.
template <size_t rank, typename Body>
void each_row(const Dims<rank>& dims, int64_t axis, Body body) {
  const AxisView view = view_along(dims, axis);
  for (int64_t o = 0; o < view.outer; ++o) {
    if (view.inner == 1) {
      body([first = o * view.size](int64_t k) { return first + k; }, view.size);
      continue;
    }
    for (int64_t i = 0; i < view.inner; ++i) {
      body([&](int64_t k) { return view.at(o, k, i); }, view.size);
    }
  }
}

// output = f(x, top, sum of exp(x - top)), where top is the largest x of a row.
template <typename T, typename X, size_t rank, typename F>
void map_rows(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis, F f) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    const auto x = [&](int64_t k) { return static_cast<T>(input[at(k)]); };
    const T top = largest_of(size, -std::numeric_limits<T>::infinity(), x);
    const T sum = sum_of<T>(size, [&](int64_t k) { return exp_of(x(k) - top); });
    for (int64_t k = 0; k < size; ++k) output[at(k)] = f(x(k), top, sum);
  });
}

}  // namespace mithril::snippets
