// Rows along an axis, and what softmax and its gradient do with them.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/snippets/axes.hpp"

namespace mithril::snippets {

// Calls body(at) for each row; at(k) is the place of its element k.
template <size_t rank, typename Body>
void each_row(const Dims<rank>& dims, int64_t axis, Body body) {
  const AxisView view = view_along(dims, axis);
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      body([&](int64_t k) { return view.at(o, k, i); }, view.size);
    }
  }
}

// output = f(x, top, sum of exp(x - top)), where top is the largest x of a row.
template <typename T, typename X, size_t rank, typename F>
void map_rows(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis, F f) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t k = 0; k < size; ++k) top = std::max(top, static_cast<double>(input[at(k)]));
    for (int64_t k = 0; k < size; ++k) sum += std::exp(static_cast<double>(input[at(k)]) - top);
    for (int64_t k = 0; k < size; ++k) {
      output[at(k)] = static_cast<T>(f(static_cast<double>(input[at(k)]), top, sum));
    }
  });
}

}  // namespace mithril::snippets
