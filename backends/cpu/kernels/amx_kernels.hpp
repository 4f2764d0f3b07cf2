// Products of bfloat16 by the processor's unit for products of small matrices: AMX.
#pragma once

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the processor has one, these kernels were compiled for it, and the system lets this
// process use it, which is asked for then.
bool has_amx();

// These kernels with tiles that AMX multiplies: of floats that stand for pairs of bfloat16, as
// those of BFloat16Kernels. Only where it is there. Subnormal numbers count for 0.
GemmKernels<float> with_amx(GemmKernels<float> kernels);
// Of convolutions, likewise.
NchwcKernels amx_block_kernels();

}  // namespace mithril::cpu_backend
