// Winograd F(4x4, 3x3) in the NCHW16c layout.
#pragma once

#include "backends/cpu/conv/nchwc_form.hpp"

namespace mithril::cpu_backend {

// Whether the window suits the algorithm, and the savings exceed the cost of the transforms.
bool suits_winograd_nchwc(const Convolution& convolution);
// The form for a convolution that it suits.
MakeNchwcForm winograd_nchwc;

}  // namespace mithril::cpu_backend
