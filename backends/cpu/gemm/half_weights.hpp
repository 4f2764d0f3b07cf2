// 16-bit weights: B of a GEMM, packed in 16 bits.
#pragma once

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/kernels/half_weight_kernels.hpp"

namespace mithril::cpu_backend {

// Packs all panels of B, rounded to the dtype of the kernels. `packed` has room for
// GemmPlan::packed_count() elements.
void pack_half_weights(const Gemm<float>& gemm, const HalfWeightKernels& kernels, uint16_t* packed);

}  // namespace mithril::cpu_backend
