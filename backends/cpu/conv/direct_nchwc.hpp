// Direct convolutions in the NCHW16c (blocked) layout.
#pragma once

#include "backends/cpu/conv/nchwc_form.hpp"

namespace mithril::cpu_backend {

// Whether the kernels support this convolution. Its source may be in either layout.
bool suits_direct_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
// The form for a convolution that it suits.
MakeNchwcForm direct_nchwc;

}  // namespace mithril::cpu_backend
