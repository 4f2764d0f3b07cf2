// GEMM kernels for pairs of int16 with a B of int8, which tiles widen when they load it.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// As gemm_kernels<int32_t>(), for panels whose pairs are int8. `dots` and `window` are null: B is
// always packed.
const GemmKernels<int32_t>& byte_weight_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
