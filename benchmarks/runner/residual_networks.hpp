// ResNets, with the names that their weights have in PyTorch.
#pragma once

#include "mithril/mithril.hpp"

namespace mithril::bench {

struct ResidualNetwork {
  std::vector<int> blocks{2, 2, 2, 2};  // of each stage
  bool bottlenecks = false;             // 1x1, 3x3, 1x1, four times as wide at the end
};

// Images "x0" in, 1000 classes "out".
Model residual_network(const ResidualNetwork& network);

}  // namespace mithril::bench
