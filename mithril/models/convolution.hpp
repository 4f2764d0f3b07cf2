// Convolution layers.
#pragma once
#include <cstdint>
#include <optional>

#include "mithril/models/padding_option.hpp"

namespace mithril {

// A size that is left out is inferred, from the weight or from the output. Kernel, stride,
// dilation: an int, or a tuple of one for each axis. Padding: that, or Padding::same.
struct Conv2dOptions {
  std::optional<int64_t> filters = std::nullopt;  // output channels
  OptionValue kernel_size = {};
  OptionValue stride = 1;
  PaddingOption padding = 0;
  OptionValue dilation = 1;
  int64_t groups = 1;
  bool use_bias = true;
};
// Ports: input [N, C, H, W], weight [filters, C / groups, Kh, Kw], bias [filters], output [N,
// filters, Ho, Wo] with Ho = (H + 2 padding - dilation (Kh - 1) - 1) // stride + 1. Weight and bias
// start as PyTorch's nn.Conv2d.
Model Conv2d(const Conv2dOptions& options = {});

struct Conv1dOptions {
  std::optional<int64_t> filters = std::nullopt;
  OptionValue kernel_size = {};
  OptionValue stride = 1;
  PaddingOption padding = 0;
  OptionValue dilation = 1;
  int64_t groups = 1;
  bool use_bias = true;
};
// Conv2d over one axis: input [N, C, L], weight [filters, C / groups, K].
Model Conv1d(const Conv1dOptions& options = {});

}  // namespace mithril
