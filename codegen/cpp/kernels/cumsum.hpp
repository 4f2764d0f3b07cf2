// Cumulative sums along an axis.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void cumsum(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis, bool reverse) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    Total<T> total = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t place = at(reverse ? size - 1 - k : k);
      total += static_cast<Total<T>>(input[place]);
      output[place] = static_cast<T>(total);
    }
  });
}

}  // namespace mithril::snippets
