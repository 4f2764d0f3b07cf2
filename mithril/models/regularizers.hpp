// Regularisers: penalties on large parameters.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// The sum of absolute values. Ports: input [...], output [].
Model L1();
// Half the sum of squares. Ports: input [...], output [].
Model L2();
// Half of input @ kernel @ input.T. Ports: input [1, N], kernel [N, N], output [1, 1].
Model QuadraticFormRegularizer();

}  // namespace mithril
