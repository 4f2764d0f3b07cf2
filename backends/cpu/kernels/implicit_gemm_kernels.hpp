// Micro-kernels of the implicit GEMM for planar (NCHW) convolutions.
#pragma once

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

template <typename T>
const ImplicitGemmKernels<T>& implicit_gemm_kernels(
    Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
