// The right side of a product, held in 16 bits.
#pragma once

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/kernels/half_weight_kernels.hpp"

namespace mithril::cpu_backend {

// All panels of the product's right side, rounded to what the kernels hold; `packed` has room for
// as many elements as the product's plan says.
void pack_half_weights(const Gemm<float>& product, const HalfWeightKernels& kernels,
                       uint16_t* packed);

}  // namespace mithril::cpu_backend
