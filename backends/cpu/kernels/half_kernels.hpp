// Conversion between 16-bit floats and float32.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {

// As in float16.hpp and convert.hpp: rounds to nearest, ties to even; NaN stays NaN.
struct HalfKernels {
  void (*widen)(const uint16_t* from, float* to, int64_t count);
  void (*narrow)(const float* from, uint16_t* to, int64_t count);
};

inline bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// `dtype` is float16 or bfloat16.
const HalfKernels& half_kernels(DType dtype, Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
