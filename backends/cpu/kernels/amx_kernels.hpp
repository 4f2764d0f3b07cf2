// bfloat16 GEMM kernels with AMX.
#pragma once

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// `kernels` with its tiles replaced by AMX tiles. Operands are VNNI pairs, as in BFloat16Kernels.
// Needs Instructions::amx. Subnormal inputs are treated as 0.
GemmKernels<float> with_amx(GemmKernels<float> kernels);
// The kernels for the NCHW32c layout of bfloat16. Need Instructions::amx.
NchwcKernels amx_block_kernels();

}  // namespace mithril::cpu_backend
