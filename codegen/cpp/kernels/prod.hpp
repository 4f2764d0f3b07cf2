// Products of elements.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void prod(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  along.each_result([&](int64_t to, int64_t first) {
    Total<T> total = 1;
    along.each_element(first, [&](int64_t from) { total *= static_cast<Total<T>>(input[from]); });
    output[to] = static_cast<T>(total);
  });
}

}  // namespace mithril::snippets
