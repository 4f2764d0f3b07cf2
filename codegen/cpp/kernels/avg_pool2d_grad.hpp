// The gradient of avg_pool2d.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/pooling.hpp"

namespace mithril::snippets {

template <typename T, typename G, size_t rank, typename Like, typename Kernel, typename Stride,
          typename Padding, typename Dilation>
void avg_pool2d_grad(Tensor<T, rank> output, Tensor<G, rank> grad, Like, const Kernel& kernel_size,
                     const Stride& stride, const Padding& padding, const Dilation& dilation) {
  const Pooling pooling(output.dims, grad.dims, kernel_size, stride, padding, dilation);
  std::fill_n(output.data, output.size(), T());
  pooling.each_element([&](int64_t from, int64_t to) { output[from] += static_cast<T>(grad[to]); });
  for (int64_t i = 0; i < output.size(); ++i) output[i] /= static_cast<T>(pooling.taps());
}

}  // namespace mithril::snippets
