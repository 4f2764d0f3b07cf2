// Leaky rectifiers with a learned slope.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct PReLUOptions {
  double init = 0.25;  // the initial slope
};
// input where it is positive, else weight * input (He et al. 2015). Ports: input [...], weight [1],
// output [...].
Model PReLU(PReLUOptions options = {});

}  // namespace mithril
