// Depthwise and grouped convolutions with few channels in a group, in the NCHW16c layout.
#pragma once

#include "backends/cpu/conv/nchwc_form.hpp"

namespace mithril::cpu_backend {

// Whether each block of output channels depends on one block of input channels.
bool suits_grouped_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
// The form for a convolution that it suits.
MakeNchwcForm grouped_nchwc;

}  // namespace mithril::cpu_backend
