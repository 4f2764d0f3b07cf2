// The gradient of slice.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/slicing.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank, typename Like, size_t slices, typename Steps,
          typename Axes>
void slice_grad(Tensor<T, rank> output, Tensor<X, rank> input, Like,
                const std::array<int64_t, slices>& starts, const std::array<int64_t, slices>& stops,
                const Steps& steps, const Axes& axes) {
  const SliceIteration<rank> iteration(output.dims, starts, stops, steps, axes);
  std::fill_n(output.data, output.size(), T());
  each_strided(iteration.counts, iteration.steps, iteration.start,
               [&](int64_t i, int64_t at) { output[at] = input[i]; });
}

}  // namespace mithril::snippets
