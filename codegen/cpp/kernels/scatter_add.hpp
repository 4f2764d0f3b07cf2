// Adds elements at the indices from which gather takes them.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/gathering.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, size_t taken, typename Index, typename Like>
void scatter_add(Tensor<T, rank> output, Tensor<X, taken> input, Index index, Like, int64_t axis) {
  const AxisView view = view_along(output.dims, axis);
  std::fill_n(output.data, output.size(), T());
  each_gathered(view, index, [&](int64_t row, int64_t at) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const auto sum = static_cast<Total<T>>(output[at + i]) +
                       static_cast<Total<T>>(input[row * view.inner + i]);
      output[at + i] = static_cast<T>(sum);
    }
  });
}

}  // namespace mithril::snippets
