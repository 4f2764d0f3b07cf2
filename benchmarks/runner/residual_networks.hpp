// ResNets, with the names that their weights have in PyTorch, and networks like them.
#pragma once

#include "mithril/model/model.hpp"

namespace mithril::bench {

struct ResidualNetwork {
  std::vector<int> blocks{2, 2, 2, 2};  // of each stage
  bool bottlenecks = false;             // 1x1, 3x3, 1x1, four times as wide at the end
  int64_t width = 64;                   // channels of the first stage
  // Groups of the 3x3 convolutions of bottlenecks. Several groups are half as wide as the end
  // (ResNeXt).
  int64_t groups = 1;
};

// Images "x0" in, 1000 classes "out".
Model residual_network(const ResidualNetwork& network);
// MobileNetV2 has the same ports: 1x1, depthwise 3x3 and 1x1 convolutions.
Model mobile_network();

}  // namespace mithril::bench
