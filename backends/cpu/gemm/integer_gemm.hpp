// GEMMs of 8-bit integers with int32 sums.
#pragma once

#include "backends/cpu/descriptors/kernel_call.hpp"

namespace mithril::cpu_backend {

// Lowers "integer_gemm(left, right, left_zero, right_zero)": the matrices are int8, uint8 or
// int16. The zero point of each, a scalar or absent, is subtracted. A constant right matrix without
// a zero point is packed at compile time.
Lowering lower_integer_gemm;

}  // namespace mithril::cpu_backend
