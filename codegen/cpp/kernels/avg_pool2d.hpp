// Means of windows.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/pooling.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank, typename Kernel, typename Stride, typename Padding,
          typename Dilation>
void avg_pool2d(Tensor<T, rank> output, Tensor<X, rank> input, const Kernel& kernel_size,
                const Stride& stride, const Padding& padding, const Dilation& dilation) {
  const Pooling pooling(input.dims, output.dims, kernel_size, stride, padding, dilation);
  std::fill_n(output.data, output.size(), T());
  pooling.each_element(
      [&](int64_t from, int64_t to) { output[to] += static_cast<T>(input[from]); });
  for (int64_t i = 0; i < output.size(); ++i) output[i] /= static_cast<T>(pooling.taps());
}

}  // namespace mithril::snippets
