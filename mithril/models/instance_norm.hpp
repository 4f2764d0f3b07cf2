// Instance norm.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct InstanceNormOptions {
  bool use_scale = false;  // whether there is a weight
  bool use_bias = false;   // whether there is a bias
  double eps = 1e-5;       // added to the variance
};
// Normalises each channel of each sample (Ulyanov et al. 2016), without running statistics. Ports:
// input [N, C, L, ...], weight [C], bias [C], output [N, C, L, ...].
Model InstanceNorm(InstanceNormOptions options = {});

}  // namespace mithril
