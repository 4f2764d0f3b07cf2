// Operands of the convolutions that pack the weight in panels.
#pragma once

#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The operands of one group of one image.
template <typename Element>
struct PanelOperandsOf {
  const Element* input;  // transformed; the source itself if the form is in place
  const float* weight;   // transformed and packed
  const float* bias;     // null: 0
  float* work;           // workspace of one part
  float* made;
  Epilogue epilogue = Epilogue();  // of the result, if each part computes whole channels
};
using PanelOperands = PanelOperandsOf<float>;

}  // namespace mithril::cpu_backend
