// The gradient of max_pool2d.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/pooling.hpp"

namespace mithril::snippets {

// `places`, if given, are the indices of the largest elements.
template <typename T, typename G, typename X, size_t rank, typename Kernel, typename Stride,
          typename Padding, typename Dilation, typename Places>
void max_pool2d_grad(Tensor<T, rank> output, Tensor<G, rank> grad, Tensor<X, rank> input,
                     const Kernel& kernel_size, const Stride& stride, const Padding& padding,
                     const Dilation& dilation, Places places) {
  const Pooling pooling(input.dims, grad.dims, kernel_size, stride, padding, dilation);
  std::fill_n(output.data, output.size(), T());
  if constexpr (is_given<Places>) {
    for (int64_t i = 0; i < grad.size(); ++i) {
      if (places[i] >= 0) output[i / pooling.outputs() * pooling.inputs() + places[i]] += grad[i];
    }
  } else {
    pooling.each_largest(input, [&](int64_t at, int64_t to) {
      if (at >= 0) output[at] += grad[to];
    });
  }
}

}  // namespace mithril::snippets
