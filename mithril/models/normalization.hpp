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

struct GroupNormOptions {
  int64_t num_groups = 32;  // divides the channels
  bool use_scale = true, use_bias = true;
  double eps = 1e-5;
};
// Normalises over the channels of a group and all axes after them, in each sample (Wu, He 2018).
// Ports: input [N, C, ...], weight [C], bias [C], output.
Model GroupNorm(const GroupNormOptions& options = {});

struct RMSNormOptions {
  bool use_scale = true;
  double eps = 1e-5;
};
// input / sqrt(mean(input^2) + eps) * weight over the last axis (Zhang, Sennrich 2019). Ports:
// input
// [..., D], weight [D] (ones to begin with), output.
Model RMSNorm(const RMSNormOptions& options = {});

struct BatchNormOptions {
  std::optional<int64_t> num_features = {};
  bool use_scale = true, use_bias = true;
  double eps = 1e-5, momentum = 0.1;
  // True: normalise with the running statistics, and leave them; empty: as compiled.
  std::optional<bool> inference = {};
};
// Normalises each channel over all other axes (Ioffe, Szegedy 2015). Ports: input [N, C, H, W] (1D:
// [N, C] or [N, C, L]), weight [C], bias [C], output, and the state running_mean [C], running_var
// [C] (unbiased), which follow the batch with `momentum`.
Model BatchNorm1D(const BatchNormOptions& options = {});
Model BatchNorm2D(const BatchNormOptions& options = {});

}  // namespace mithril
