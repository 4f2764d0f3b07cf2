// Sums.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void sum(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  along.template each_sum<Total<T>>(
      input, [&](int64_t to, Total<T> total) { output[to] = static_cast<T>(total); });
}

}  // namespace mithril::snippets
