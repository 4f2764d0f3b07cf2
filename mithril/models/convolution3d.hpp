// Convolutions over three axes, and transposed ones over one and three.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct Conv3dOptions {
  int64_t filters = 0;  // output channels
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, dilation = 1;  // an int, or one for each axis
  int64_t groups = 1;
  bool use_bias = true;
};
// 3-D convolution. Ports: input [N, C, D, H, W], weight [filters, C / groups, Kd, Kh, Kw], bias
// [filters], output [N, filters, Do, Ho, Wo].
Model Conv3d(const Conv3dOptions& options);

struct ConvTransposeOptions {
  int64_t filters = 0;  // output channels
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, output_padding = 0,
              dilation = 1;  // an int, or one for each axis
  int64_t groups = 1;
  bool use_bias = true;
};
// Transposed convolutions, as PyTorch's nn.ConvTranspose1d and nn.ConvTranspose3d. Ports: input [N,
// C, L], weight [C, filters / groups, K], bias [filters], output [N, filters, Lo] with Lo = (L - 1)
// stride - 2 padding + dilation (K - 1) + output_padding + 1; for three axes [N, C, D, H, W] and so
// on.
Model ConvTranspose1d(const ConvTransposeOptions& options);
Model ConvTranspose3d(const ConvTransposeOptions& options);

}  // namespace mithril
