// GEMM kernels for an A of uint8 and a B of int8.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// As gemm_kernels<int32_t>(), for quads: four bytes that are neighbours along k in the place of an
// int32. k counts quads. The sum of the products of the first two bytes may saturate at the limits
// of int16, as may that of the last two. `dots` and `window` are null: B is always packed.
const GemmKernels<int32_t>& byte_weight_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
