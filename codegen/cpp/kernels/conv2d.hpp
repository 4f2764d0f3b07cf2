// Convolution over two axes.
#pragma once
#include "codegen/cpp/kernels/padded_planes.hpp"

namespace mithril::snippets {

template <typename X>
Bias<X, true> bias_of_rows(Tensor<X, 1> bias, int64_t first) {
  return {bias.data + first};
}
inline NoBias bias_of_rows(None, int64_t) { return {}; }

template <typename T, typename X, typename W, typename B, typename Stride, typename Padding,
          typename Dilation>
void conv2d(Tensor<T, 4> output, Tensor<X, 4> input, Tensor<W, 4> weight, B bias,
            const Stride& stride, const Padding& padding, const Dilation& dilation,
            int64_t groups) {
  const Convolution sum(input.dims, weight.dims, output.dims, stride, padding, dilation, groups);
  if constexpr (has_tiles<T, X, W>) {
    PaddedPlanes<T> image(sum);
    const int64_t outputs = sum.outputs_per_group();
    sum.each_group([&](int64_t n, int64_t g) {
      const int64_t group = n * groups + g;
      image.load(input.data + group * image.input_size());
      convolve(image, outputs, weight.data + g * outputs * image.depth(),
               output.data + group * outputs * image.outputs(), bias_of_rows(bias, g * outputs));
    });
  } else {
    const int64_t plane = output.dims[2] * output.dims[3];
    const auto start = bias_of_rows(bias, 0);
    for (int64_t i = 0; i < output.size(); ++i) {
      output[i] = static_cast<T>(start.at(i / plane % output.dims[1], 0));
    }
    sum.each_product([&](int64_t x, int64_t w, int64_t y, int64_t count) {
      const T factor = weight[w];
      for (int64_t i = 0; i < count; ++i) {
        output[y + i] += static_cast<T>(input[x + i * sum.columns.stride]) * factor;
      }
    });
  }
}

}  // namespace mithril::snippets
