// Regularisers: penalties on large parameters.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// sum(|input|). Ports: input [...], output [].
Model L1();
// sum(input^2) / 2. Ports: input [...], output [].
Model L2();
// input @ kernel @ input.T / 2. Ports: input [1, N], kernel [N, N], output [1, 1].
Model QuadraticFormRegularizer();

}  // namespace mithril
