// Slices.
#pragma once
#include "codegen/cpp/kernels/slicing.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank, size_t slices, typename Steps, typename Axes>
void slice(Tensor<T, rank> output, Tensor<X, rank> input, const std::array<int64_t, slices>& starts,
           const std::array<int64_t, slices>& stops, const Steps& steps, const Axes& axes) {
  const SliceIteration<rank> iteration(input.dims, starts, stops, steps, axes);
  each_strided(iteration.counts, iteration.steps, iteration.start,
               [&](int64_t i, int64_t at) { output[i] = input[at]; });
}

}  // namespace mithril::snippets
