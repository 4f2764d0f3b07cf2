// Conversion between 16-bit floats and float32, and GEMM kernels with 16-bit weights as B, which
// tiles widen to float32 when they load them.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {

// Conversions as in float16.hpp and convert.hpp: they round to nearest, ties to even; NaN stays
// NaN.
struct HalfKernels {
  void (*widen)(const uint16_t* from, float* to, int64_t count);
  void (*narrow)(const float* from, uint16_t* to, int64_t count);
};

inline bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// `dtype` is float16 or bfloat16.
const HalfKernels& half_kernels(DType dtype, Instructions instructions = best_instructions());

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
