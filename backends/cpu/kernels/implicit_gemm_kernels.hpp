// The innermost loop of convolutions.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// c[i][j] = start[i] + sum over k of a[k][i] * b[offsets[k] + j], for a few rows i and `nr`
// columns j.
template <typename T>
struct WindowTile {
  const T* a;  // the rows' elements for each k, `a_step` apart
  int64_t a_step;
  const T* b;
  const int64_t* offsets;
  T* c;  // row-major, `c_step` apart
  int64_t c_step;
  int64_t depth;   // of k
  bool add;        // this sum to the one in c, without start
  const T* start;  // null: 0
};

// Sums are in the order of k in every tile, whatever the number of its rows.
template <typename T>
struct ImplicitGemmKernels {
  static constexpr int most_rows = 14;
  static constexpr int most_nr = 32;
  int mr;                                             // rows of the largest tile
  int nr;                                             // columns of each
  void (*tile[most_rows + 1])(const WindowTile<T>&);  // by rows, from 1 to mr
};

template <typename T>
const ImplicitGemmKernels<T>& implicit_gemm_kernels(
    Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
