// Tiles of products whose right side is held in 16 bits, and widened when it is read.
#pragma once

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {

struct HalfWeightKernels {
  GemmKernels<float> products;  // without `dots`: the right side is packed
  // From a panel as pack_b leaves it, for so many k, to one of elements of 16 bits in the order
  // in which tiles read them.
  void (*store)(const float* panel, int64_t depth, uint16_t* to);
};

// Held as float16 or bfloat16.
const HalfWeightKernels& stored_matmul_kernels(DType stored,
                                               Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
