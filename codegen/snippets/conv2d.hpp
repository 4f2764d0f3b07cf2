// Convolution over two axes.
#pragma once
#include "codegen/snippets/convolution.hpp"

namespace mithril::snippets {

template <typename T, typename X, typename W, typename Bias, typename Stride, typename Padding,
          typename Dilation>
void conv2d(Tensor<T, 4> output, Tensor<X, 4> input, Tensor<W, 4> weight, Bias bias,
            const Stride& stride, const Padding& padding, const Dilation& dilation,
            int64_t groups) {
  const Convolution sum(input.dims, weight.dims, output.dims, stride, padding, dilation, groups);
  const int64_t plane = output.dims[2] * output.dims[3];
  for (int64_t i = 0; i < output.size(); ++i) {
    if constexpr (is_given<Bias>) {
      output[i] = static_cast<T>(bias[i / plane % output.dims[1]]);
    } else {
      output[i] = 0;
    }
  }
  sum.each_product([&](int64_t x, int64_t w, int64_t y, int64_t count) {
    const T factor = weight[w];
    for (int64_t i = 0; i < count; ++i) {
      output[y + i] += static_cast<T>(input[x + i * sum.columns.stride]) * factor;
    }
  });
}

}  // namespace mithril::snippets
