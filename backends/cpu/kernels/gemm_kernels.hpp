// GEMM micro-kernels, also of implicit GEMMs, GEMV kernels, and the copies that pack their
// operands.
#pragma once

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

template <typename T>
const GemmKernels<T>& gemm_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
