// Variances.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/mean.hpp"

namespace mithril::snippets {

// sum((x - mean)^2) / max(n - correction, 0)
template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void variance(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/,
              double correction) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  const double divisor = std::max(static_cast<double>(along.count) - correction, 0.0);
  along.each_result([&](int64_t to, int64_t first) {
    const double mean = mean_of(input, along, first);
    double squares = 0;
    along.each_element(first, [&](int64_t from) {
      const double distance = static_cast<double>(input[from]) - mean;
      squares += distance * distance;
    });
    output[to] = static_cast<T>(squares / divisor);
  });
}

}  // namespace mithril::snippets
