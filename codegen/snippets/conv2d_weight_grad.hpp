// The gradient of conv2d in its weight.
#pragma once
#include <algorithm>

#include "codegen/snippets/convolution.hpp"

namespace mithril::snippets {

template <typename T, typename G, typename X, typename Weight, typename Stride, typename Padding,
          typename Dilation>
void conv2d_weight_grad(Tensor<T, 4> output, Tensor<G, 4> grad, Tensor<X, 4> input, Weight,
                        const Stride& stride, const Padding& padding, const Dilation& dilation,
                        int64_t groups) {
  const Convolution sum(input.dims, output.dims, grad.dims, stride, padding, dilation, groups);
  std::fill_n(output.data, output.size(), T());
  sum.each_product([&](int64_t x, int64_t w, int64_t y, int64_t count) {
    T total = 0;
    for (int64_t i = 0; i < count; ++i) {
      total += static_cast<T>(input[x + i * sum.columns.stride]) * grad[y + i];
    }
    output[w] += total;
  });
}

}  // namespace mithril::snippets
