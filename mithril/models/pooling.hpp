// Pooling layers.
#pragma once
#include "mithril/models/padding_option.hpp"

namespace mithril {

struct PoolOptions {
  OptionValue kernel_size = 2;  // an int, or one for each axis
  OptionValue stride = {};      // None: the kernel's size
  PaddingOption padding = 0;
  OptionValue dilation = 1;
};
// Ports: input [..., H, W] (1D: [..., L]), output; the largest or the mean element of each window.
Model MaxPool1D(const PoolOptions& options = {});
Model MaxPool2D(const PoolOptions& options = {});
Model AvgPool1D(const PoolOptions& options = {});
Model AvgPool2D(const PoolOptions& options = {});

}  // namespace mithril
