// Elements along an axis, chosen by index.
#pragma once
#include "codegen/cpp/kernels/gathering.hpp"

namespace mithril::snippets {

template <typename T, size_t taken, typename X, size_t rank, typename Index>
void gather(Tensor<T, taken> output, Tensor<X, rank> input, Index index, int64_t axis) {
  const AxisView view = view_along(input.dims, axis);
  each_gathered(view, index, [&](int64_t row, int64_t at) {
    for (int64_t i = 0; i < view.inner; ++i) output[row * view.inner + i] = input[at + i];
  });
}

}  // namespace mithril::snippets
