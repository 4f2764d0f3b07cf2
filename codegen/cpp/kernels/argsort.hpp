// The order of the elements along an axis.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "codegen/cpp/kernels/axes.hpp"

namespace mithril::snippets {

// NaN is larger than all numbers.
template <typename T>
bool sorts_before(T a, T b, bool descending) {
  if (descending) std::swap(a, b);
  return a < b || (a == a && b != b);
}

template <typename T, size_t rank, typename X, typename Count>
void argsort(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis, bool descending, Count) {
  const AxisView view = view_along(input.dims, axis), kept = view_along(output.dims, axis);
  std::vector<int64_t> order(static_cast<size_t>(view.size));
  for (int64_t row = 0; row < view.outer * view.inner; ++row) {
    const int64_t o = row / view.inner, i = row % view.inner;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + kept.size, order.end(),
                      [&](int64_t a, int64_t b) {
                        const X left = input[view.at(o, a, i)], right = input[view.at(o, b, i)];
                        if (sorts_before(left, right, descending)) return true;
                        return a < b && !sorts_before(right, left, descending);
                      });
    for (int64_t k = 0; k < kept.size; ++k) {
      output[kept.at(o, k, i)] = static_cast<T>(order[static_cast<size_t>(k)]);
    }
  }
}

}  // namespace mithril::snippets
