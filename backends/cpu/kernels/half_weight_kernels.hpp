// GEMM kernels with 16-bit weights as B, which tiles widen to float32 when they load them.
#pragma once

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {

struct HalfWeightKernels {
  GemmKernels<float> gemm;  // without `dots`: B is always packed
  // Converts a panel from pack_b, with `depth` values of k, to 16-bit elements in the order in
  // which tiles read them.
  void (*store)(const float* panel, int64_t depth, uint16_t* to);
};

// `stored` is float16 or bfloat16.
const HalfWeightKernels& half_weight_kernels(DType stored,
                                             Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
