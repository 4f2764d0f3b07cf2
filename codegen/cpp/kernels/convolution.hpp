// The sum that a convolution and both its gradients compute.
#pragma once
#include "codegen/cpp/kernels/window.hpp"

namespace mithril::snippets {

struct Convolution {
  Dims<4> input, weight, output;
  Window rows, columns;
  int64_t groups;

  template <typename Stride, typename Padding, typename Dilation>
  Convolution(const Dims<4>& input, const Dims<4>& weight, const Dims<4>& output, Stride stride,
              Padding padding, Dilation dilation, int64_t groups)
      : input(input),
        weight(weight),
        output(output),
        rows(window_along<0>(input, output, weight[2], stride, padding, dilation)),
        columns(window_along<1>(input, output, weight[3], stride, padding, dilation)),
        groups(groups) {}

  int64_t outputs_per_group() const { return weight[0] / groups; }

  // Calls body(n, g) for each image and group.
  template <typename Body>
  void each_group(Body body) const {
    for (int64_t n = 0; n < output[0]; ++n) {
      for (int64_t g = 0; g < groups; ++g) body(n, g);
    }
  }

  // Calls body(x, w, y, count): the convolution is the sum of y[i] += x[i * columns.stride] * w for
  // i below count; x, w and y are indices in the input, the weight and the output.
  template <typename Body>
  void each_product(Body body) const {
    for (int64_t n = 0; n < output[0]; ++n) {
      for (int64_t o = 0; o < output[1]; ++o) {
        for (int64_t g = 0; g < weight[1]; ++g) {
          const int64_t channel = o / outputs_per_group() * weight[1] + g;
          const int64_t x = (n * input[1] + channel) * input[2] * input[3];
          const int64_t w = (o * weight[1] + g) * weight[2] * weight[3];
          const int64_t y = (n * output[1] + o) * output[2] * output[3];
          each_run(rows, columns, [&](int64_t tap, int64_t from, int64_t to, int64_t count) {
            body(x + from, w + tap, y + to, count);
          });
        }
      }
    }
  }
};

}  // namespace mithril::snippets
