// For each element the product of the others.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank, typename Axis>
void prod_of_others(Tensor<T, rank> output, Tensor<X, rank> input, Axis axis) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  along.each_result([&](int64_t, int64_t first) {
    along.each_element(first, [&](int64_t own) {
      double total = 1;
      along.each_element(first, [&](int64_t from) {
        if (from != own) total *= static_cast<double>(input[from]);
      });
      output[own] = static_cast<T>(total);
    });
  });
}

}  // namespace mithril::snippets
