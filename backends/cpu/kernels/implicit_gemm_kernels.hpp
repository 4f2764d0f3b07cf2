// Micro-kernels of the implicit GEMM for planar (NCHW) convolutions.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Arguments of a micro-kernel: c[i][j] = start[i] + sum over k of a[k][i] * b[offsets[k] + j], for
// up to mr rows i and nr columns j. B is not packed; each k has an offset into `b`, usually a
// padded image. Steps and offsets are in elements.
template <typename T>
struct WindowTile {
  const T* a;  // packed A: the rows' elements of each k, `a_step` apart
  int64_t a_step;
  const T* b;
  const int64_t* offsets;
  T* c;  // row-major, rows `c_step` apart
  int64_t c_step;
  int64_t depth;   // number of k
  bool add;        // accumulate into c; `start` is ignored
  const T* start;  // bias of the rows; null: 0
};

// Each tile adds its products in the order of k, whatever its number of rows.
template <typename T>
struct ImplicitGemmKernels {
  static constexpr int most_rows = 14;
  static constexpr int most_nr = 32;
  int mr;                                             // rows of the largest tile
  int nr;                                             // columns of every tile
  void (*tile[most_rows + 1])(const WindowTile<T>&);  // by the number of rows, from 1 to mr
};

template <typename T>
const ImplicitGemmKernels<T>& implicit_gemm_kernels(
    Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
