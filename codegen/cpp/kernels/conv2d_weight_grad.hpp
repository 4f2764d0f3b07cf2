// The gradient of conv2d with respect to its weight.
#pragma once
#include <algorithm>
#include <vector>

#include "codegen/cpp/kernels/padded_planes.hpp"

namespace mithril::snippets {

template <typename T, typename G, typename X, typename Weight, typename Stride, typename Padding,
          typename Dilation>
void conv2d_weight_grad(Tensor<T, 4> output, Tensor<G, 4> grad, Tensor<X, 4> input, Weight,
                        const Stride& stride, const Padding& padding, const Dilation& dilation,
                        int64_t groups) {
  const Convolution sum(input.dims, output.dims, grad.dims, stride, padding, dilation, groups);
  if constexpr (has_tiles<T, G, X>) {
    PaddedPlanes<T> image(sum);
    const int64_t outputs = sum.outputs_per_group(), depth = image.depth();
    const std::vector<int64_t> windows = image.windows();
    std::vector<T> sums(static_cast<size_t>(output.size()));  // of each group, transposed
    sum.each_group([&](int64_t n, int64_t g) {
      const int64_t group = n * groups + g;
      image.load(input.data + group * image.input_size());
      add_weight_grad(image, outputs, grad.data + group * outputs * image.outputs(), windows.data(),
                      sums.data() + g * outputs * depth);
    });
    for (int64_t o = 0; o < output.dims[0]; ++o) {
      const int64_t first = o / outputs * outputs * depth + o % outputs;
      for (int64_t tap = 0; tap < depth; ++tap) {
        output[o * depth + tap] = sums[static_cast<size_t>(first + tap * outputs)];
      }
    }
  } else {
    std::fill_n(output.data, output.size(), T());
    sum.each_product([&](int64_t x, int64_t w, int64_t y, int64_t count) {
      T total = 0;
      for (int64_t i = 0; i < count; ++i) {
        total += static_cast<T>(input[x + i * sum.columns.stride]) * grad[y + i];
      }
      output[w] += total;
    });
  }
}

}  // namespace mithril::snippets
