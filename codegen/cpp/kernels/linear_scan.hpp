// A linear recurrence along an axis.
#pragma once
#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, typename A, size_t rank>
void linear_scan(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<A, rank> decay, int64_t axis,
                 bool reverse, bool exclusive) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    double state = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t place = at(reverse ? size - 1 - k : k);
      const auto x = static_cast<double>(input[place]);
      const double next = k == 0 ? x : static_cast<double>(decay[place]) * state + x;
      output[place] = static_cast<T>(exclusive ? state : next);
      state = next;
    }
  });
}

}  // namespace mithril::snippets
