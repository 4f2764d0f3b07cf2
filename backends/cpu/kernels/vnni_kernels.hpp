// GEMM kernels of pairs of int16 and of quads of bytes with AVX-512 VNNI, which multiplies and adds
// in one instruction.
#pragma once

#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// The kernels with tiles of VNNI in place of those of `plain`, the kernels for AVX-512. Null if the
// processor has no VNNI, these kernels were not compiled for it, or `instructions` is below avx512.
const GemmKernels<int32_t>* vnni_gemm_kernels(const GemmKernels<int32_t>& plain,
                                              Instructions instructions);
const GemmKernels<int32_t>* vnni_byte_weight_kernels(const GemmKernels<int32_t>& plain,
                                                     Instructions instructions);

}  // namespace mithril::cpu_backend
