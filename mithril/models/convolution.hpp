// Convolution layers.
#pragma once
#include <optional>

#include "mithril/model/model.hpp"

namespace mithril {

// Kernel, stride, padding, dilation: an int, or a tuple of one for each axis; padding "same", too.
struct Conv2dOptions {
  int64_t filters = 0;  // output channels
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
  bool use_bias = true;
};
// Ports: input [N, C, H, W], weight [filters, C / groups, Kh, Kw], bias [filters], output [N,
// filters, Ho, Wo] with Ho = (H + 2 padding - dilation (Kh - 1) - 1) // stride + 1. Weight and bias
// start as PyTorch's nn.Conv2d.
Model Conv2d(const Conv2dOptions& options);

struct Conv1dOptions {
  int64_t filters = 0;
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, dilation = 1;
  bool use_bias = true;
};
// As Conv2d over one axis: input [N, C, L], weight [filters, C, K].
Model Conv1d(const Conv1dOptions& options);

// As Conv2d and Conv1d, with sizes of the weight that are inferred where they are left out.
struct Convolution2DOptions {
  OptionValue kernel_size = {};  // None: inferred
  std::optional<int64_t> out_channels = std::nullopt;
  OptionValue stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
  bool use_bias = true;
};
Model Convolution2D(const Convolution2DOptions& options = {});

struct Convolution1DOptions {
  OptionValue kernel_size = {};
  std::optional<int64_t> out_channels = std::nullopt;
  OptionValue stride = 1, padding = 0, dilation = 1;
  bool use_bias = true;
};
Model Convolution1D(const Convolution1DOptions& options = {});

}  // namespace mithril
