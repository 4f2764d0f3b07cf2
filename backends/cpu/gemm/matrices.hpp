// The matrices of a GEMM.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/micro_kernel.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The element (i, j) is data[i * row_step + j * column_step]. Steps are in elements.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  int64_t row_step = 0, column_step = 1;
};

// C = A * B + bias: A is [m, k], B is [k, n], C is [m, n]. The bias is added last. C is row-major
// and contiguous.
template <typename T>
struct Gemm {
  const GemmKernels<T>* kernels = nullptr;
  int64_t m = 0, n = 0, k = 0;
  Matrix<T> a, b;
  const T* packed_b = nullptr;  // B, packed by pack_b; null: B is not packed
  const T* bias = nullptr;      // an element per column; null: no bias
  T* c = nullptr;
  bool accumulates = false;        // adds to C in place of overwriting it
  Epilogue epilogue = Epilogue();  // runs on C
  // The elements of C, of int32, become float32 before the epilogue runs, times the scale of their
  // column; null: C stays as it is.
  const float* scales = nullptr;
  // In which the columns of B are traversed. C has the same bits.
  Direction direction = Direction::forward;
};

}  // namespace mithril::cpu_backend
