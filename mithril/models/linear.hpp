// input @ weight.T + bias.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct LinearOptions {
  std::optional<int64_t> dimension = {};  // outputs; empty: inferred from the connections
  bool use_bias = true;
};

// Ports: input [N, ..., I], weight [dimension, I], bias [dimension], output [N, ..., dimension].
// Weight and bias start as PyTorch's nn.Linear: uniform in +-1/sqrt(I).
Model Linear(LinearOptions options = {});

}  // namespace mithril
