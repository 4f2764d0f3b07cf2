// Permutes axes.
#pragma once
#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"

namespace mithril::snippets {

template <size_t rank>
Dims<rank> in_order(const Dims<rank>& steps, None) {
  Dims<rank> result{};
  for (size_t axis = 0; axis < rank; ++axis) result[axis] = steps[rank - 1 - axis];
  return result;
}
template <size_t rank>
Dims<rank> in_order(const Dims<rank>& steps, int64_t) {
  return steps;
}
template <size_t rank>
Dims<rank> in_order(const Dims<rank>& steps, const std::array<int64_t, rank>& axes) {
  Dims<rank> result{};
  for (size_t axis = 0; axis < rank; ++axis) result[axis] = steps[axis_of(axes[axis], rank)];
  return result;
}

template <typename T, typename X, size_t rank, typename Axes>
void transpose(Tensor<T, rank> output, Tensor<X, rank> input, const Axes& axes) {
  each_strided(output.dims, in_order(strides(input.dims), axes), 0,
               [&](int64_t i, int64_t at) { output[i] = input[at]; });
}

}  // namespace mithril::snippets
