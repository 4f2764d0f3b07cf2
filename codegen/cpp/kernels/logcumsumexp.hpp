// Logarithms of cumulative sums of exponentials along an axis.
#pragma once
#include <cmath>
#include <limits>

#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void logcumsumexp(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;  // of exp(x - top)
    for (int64_t k = 0; k < size; ++k) {
      const double next = static_cast<double>(input[at(k)]);
      if (next > top) {
        sum = sum * std::exp(top - next) + 1;
        top = next;
      } else {
        sum += next == top ? 1 : std::exp(next - top);
      }
      output[at(k)] = static_cast<T>(top + std::log(sum));
    }
  });
}

}  // namespace mithril::snippets
