// Normalisation layers.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct LayerNormOptions {
  bool use_scale = true, use_bias = true;
  double eps = 1e-5;
};
// (input - mean) / sqrt(variance + eps) * weight + bias over the last axis (Ba, Kiros, Hinton
// 2016). Ports: input [..., D], weight [D] (ones to begin with), bias [D] (zeros), output.
Model LayerNorm(const LayerNormOptions& options = {});

struct BatchNorm2DOptions {
  std::optional<int64_t> num_features = {};
  bool use_scale = true, use_bias = true;
  double eps = 1e-5, momentum = 0.1;
  bool inference = true;  // normalise with the running statistics, and leave them
};
// Over N, H, W of each channel (Ioffe, Szegedy 2015). Ports: input [N, C, H, W], weight [C], bias
// [C], output, and the state running_mean [C], running_var [C] (unbiased), which follow the batch
// with `momentum`.
Model BatchNorm2D(const BatchNorm2DOptions& options = {});

}  // namespace mithril
