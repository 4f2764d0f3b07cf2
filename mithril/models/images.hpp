// Layers that move the pixels of images: windows as columns, channels as pixels.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct UnfoldOptions {
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, dilation = 1;  // an int, or one for each axis
};
// Each window of an image as a column, as PyTorch's nn.Unfold. Ports: input [N, C, H, W], output
// [N, C Kh Kw, L], where L is the number of windows.
Model Unfold(const UnfoldOptions& options);

struct FoldOptions {
  OptionValue output_size = 1;
  OptionValue kernel_size = 3;
  OptionValue stride = 1, padding = 0, dilation = 1;  // an int, or one for each axis
};
// Adds columns to the windows of an image, as PyTorch's nn.Fold: the transpose of Unfold. Ports:
// input [N, C Kh Kw, L], output [N, C, *output_size].
Model Fold(const FoldOptions& options);

struct PixelShuffleOptions {
  int64_t upscale_factor = 2;
};
// Rearranges channels into pixels (Shi et al. 2016). Ports: input [N, C r^2, H, W], output [N, C, H
// r, W r].
Model PixelShuffle(PixelShuffleOptions options);

struct PixelUnshuffleOptions {
  int64_t downscale_factor = 2;
};
// Rearranges pixels into channels, the inverse of PixelShuffle. Ports: input [N, C, H r, W r],
// output [N, C r^2, H, W].
Model PixelUnshuffle(PixelUnshuffleOptions options);

}  // namespace mithril
