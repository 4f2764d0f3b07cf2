// What products are made of whose columns are the channels of a convolution's output, in panels.
#pragma once

#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// Of one group of one image.
template <typename Element>
struct PanelOperandsOf {
  const Element* input;  // transformed, or as it stands where the form leaves it in place
  const float* weight;   // transformed
  const float* bias;     // null: 0
  float* work;           // of one part
  float* made;
  Epilogue epilogue = Epilogue();  // of what is made, where parts make whole channels
};
using PanelOperands = PanelOperandsOf<float>;

}  // namespace mithril::cpu_backend
