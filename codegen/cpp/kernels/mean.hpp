// Means.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

template <typename X, size_t rank>
double mean_of(Tensor<X, rank> input, const Reduction<rank>& along, int64_t first) {
  double total = 0;
  along.each_element(first, [&](int64_t from) { total += static_cast<double>(input[from]); });
  return total / static_cast<double>(along.count);
}

template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void mean(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  along.template each_sum<double>(input, [&](int64_t to, double total) {
    output[to] = static_cast<T>(total / static_cast<double>(along.count));
  });
}

}  // namespace mithril::snippets
