// The gradient of conv2d with respect to its input.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/padded_planes.hpp"

namespace mithril::snippets {

template <typename T, typename G, typename Input, typename W, typename Stride, typename Padding,
          typename Dilation>
void conv2d_input_grad(Tensor<T, 4> output, Tensor<G, 4> grad, Input, Tensor<W, 4> weight,
                       const Stride& stride, const Padding& padding, const Dilation& dilation,
                       int64_t groups) {
  const Convolution sum(output.dims, weight.dims, grad.dims, stride, padding, dilation, groups);
  std::fill_n(output.data, output.size(), T());
  if constexpr (has_tiles<T, G, W>) {
    PaddedPlanes<T> image(sum);
    const int64_t outputs = sum.outputs_per_group();
    sum.each_group([&](int64_t n, int64_t g) {
      const int64_t group = n * groups + g;
      std::fill(image.elements.begin(), image.elements.end(), T());
      add_input_grad(image, outputs, weight.data + g * outputs * image.depth(),
                     grad.data + group * outputs * image.outputs());
      image.store(output.data + group * image.input_size());
    });
  } else {
    sum.each_product([&](int64_t x, int64_t w, int64_t y, int64_t count) {
      const T factor = weight[w];
      for (int64_t i = 0; i < count; ++i) {
        output[x + i * sum.columns.stride] += static_cast<T>(grad[y + i]) * factor;
      }
    });
  }
}

}  // namespace mithril::snippets
