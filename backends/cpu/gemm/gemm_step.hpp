// Steps that run GEMMs.
#pragma once

#include "backends/cpu/descriptors/kernel_call.hpp"

namespace mithril::cpu_backend {

// Lowers "gemm(left, right)" or "gemm(left, transposed(right), bias)". The GEMM is over the
// last two axes, and the axes before them are broadcast. The bias has an element per column. None
// if no kernel supports the dtypes. Operands have the dtype of the product, float32 or float64. For
// a float32 product, a constant B may have 16 bits, and A and B may both be bfloat16.
Lowering lower_gemm;

}  // namespace mithril::cpu_backend
