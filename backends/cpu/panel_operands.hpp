// What products are made of whose columns are the channels of a convolution's output, in panels.
#pragma once

#include "backends/cpu/step.hpp"

namespace mithril::cpu_backend {

// Of one group of one image.
struct PanelOperands {
  const float* input;   // as rows of products
  const float* weight;  // as columns
  const float* bias;    // null: 0
  float* work;          // of one part
  float* made;
  Finish finish = Finish();  // of what is made, where parts make whole channels
};

}  // namespace mithril::cpu_backend
