// Layers that change the size of images.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

struct ConvTranspose2dOptions {
  int64_t filters = 0;  // output channels
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, output_padding = 0,
              dilation = 1;  // an int, or one for each axis
  int64_t groups = 1;
  bool use_bias = true;
};
// Transposed convolution, as PyTorch's nn.ConvTranspose2d. Ports: input [N, C, H, W], weight [C,
// filters / groups, Kh, Kw], bias [filters], output [N, filters, Ho, Wo] with Ho = (H - 1) stride -
// 2 padding + dilation (Kh - 1) + output_padding + 1.
Model ConvTranspose2d(const ConvTranspose2dOptions& options);

enum class UpsampleMode { nearest, bilinear, bicubic };  // between the centres of pixels
std::string_view name(UpsampleMode mode);

struct UpsampleOptions {
  OptionValue scale_factor = 2;  // an int, or one for each axis
  UpsampleMode mode = UpsampleMode::nearest;
  OptionValue size = {};       // None: that of the input times scale_factor
  bool align_corners = false;  // the centres of the outer pixels stay where they are
  // For bilinear and bicubic: where the image gets smaller, each pixel is a mean of all under it,
  // as in Pillow. Bicubic has a = -0.5 in place of -0.75.
  bool antialias = false;
};
// Ports: input [N, C, H, W], output [N, C, H scale, W scale] or [N, C, *size].
Model Upsample(const UpsampleOptions& options = {});

}  // namespace mithril
