// GEMMs of whole numbers, whose sums are int32.
#pragma once

#include "backends/cpu/descriptors/kernel_call.hpp"

namespace mithril::cpu_backend {

// Lowers "whole_gemm(left, right, left_zero, right_zero)": the matrices have elements of int8,
// uint8 or int16, and each is read minus its zero, which is one number or absent. A constant right
// matrix is packed at compile time.
Lowering lower_whole_gemm;

}  // namespace mithril::cpu_backend
