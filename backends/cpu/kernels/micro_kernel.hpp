// GEMM micro-kernels, also of implicit GEMMs, GEMV kernels, and the copies that pack their
// operands.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Arguments of a micro-kernel: c[i][j] = bias[j] + sum over k of a[k][i] * b[k][j], for up to mr
// rows i and nr columns j. Steps are in elements.
template <typename T>
struct Tile {
  const T* a;  // packed A: the rows' elements of one k, or block of k, every `a_step`
  int64_t a_step;
  const T* b;  // packed B: `nr` elements for each k, `b_step` apart
  int64_t b_step;
  T* c;  // row-major, rows `c_step` apart
  int64_t c_step;
  int64_t depth;  // number of k
  bool add;       // accumulate into c instead of overwriting it
  const T* bias;  // of the columns; null: none
  // Prefetch: for every `stretch` values of k, the kernel prefetches `lines` cache lines, starting
  // at `next`. The GEMV kernels ignore `next`; they prefetch b itself if `lines` is not 0.
  static constexpr int64_t stretch = 32;
  const T* next = nullptr;
  int64_t lines = 0;
  // Elements between two rows of an unpacked, row-major A; 0: A is packed.
  int64_t a_row_step = 0;
};

// How `tiles` tiles, each over `depth` values of k, share the prefetch of `elements` contiguous
// elements, which are read after the tiles.
struct Prefetching {
  template <typename T>
  static Prefetching of(int64_t elements, int64_t depth, int64_t tiles) {
    constexpr int64_t line = 64 / int64_t{sizeof(T)};
    const int64_t stretches = std::max<int64_t>(up(depth, Tile<T>::stretch), 1);
    const int64_t lines = up(up(elements, line), tiles * stretches);
    return {lines, lines * stretches * line};
  }

  int64_t lines;     // cache lines that a tile prefetches in each stretch of k
  int64_t elements;  // elements that a tile prefetches in total
};

// Arguments of a GEMV with rows of weights: out[j] = bias[j] + sum over k of x[k] * rows[j][k].
template <typename T>
struct Dots {
  const T* x;
  const T* rows;
  int64_t row_step;
  int64_t count;  // number of rows
  int64_t depth;
  bool add;       // accumulate into out instead of overwriting it
  const T* bias;  // of the rows; null: none
  T* out;
};

// Arguments of a packing copy. The result has `count` contiguous elements for each k below `depth`,
// `to_step` elements apart. GemmKernels says how each copy reads `from`.
template <typename T>
struct Rearrangement {
  const T* from;
  int64_t from_step;
  int64_t count, depth;
  T* to;
  int64_t to_step;
};

// Arguments of a micro-kernel of an implicit GEMM: c[i][j] = start[i] + sum over k of a[k][i] *
// b[offsets[k] + j], for up to mr rows i and nr columns j. B is not packed; each k has an offset
// into `b`, usually a padded image. Steps and offsets are in elements.
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

// Micro-kernels for one instruction set. Each tile adds its products in the order of k, whatever
// its number of rows.
template <typename T>
struct GemmKernels {
  static constexpr int most_rows = 32;
  static constexpr int most_nr = 32;
  static constexpr int most_tiles = 4;
  static constexpr int most_depth = 4096 / int{sizeof(T)};
  int mr;           // rows of the largest tile
  int nr;           // columns of every tile
  int packing = 1;  // packed elements of B in the space of one T: 2 for 16-bit weights
  // Threads split the rows of C, and each of them reads all of B, if each thread gets at least this
  // many rows, or if B has fewer panels than threads.
  int rows_worth_reading = 56;
  // Block size of k: packed rows of A then stay in the L2 cache. At most most_depth.
  int kc = most_depth;
  int a_block = 1;  // contiguous elements of k of one row in packed A
  // The index is the number of rows, from 1 to mr.
  void (*tile[most_rows + 1])(const Tile<T>&);
  void (*window[most_rows + 1])(const WindowTile<T>&);
  // B stationary: a panel of B stays in the L1 cache instead of a tile of A.
  bool b_stationary = false;
  // Releases state that the tiles keep for the thread (the AMX tile configuration). The caller
  // calls it after its last tile. Null: no state.
  void (*release)() = nullptr;
  // GEMV: a single row times several adjacent panels of B, `b_distance` elements apart. One panel
  // has too few independent sums to hide the latency of FMA. Indexed by the number of panels, from
  // 1.
  std::array<void (*)(const Tile<T>&, int64_t b_distance), most_tiles + 1> gemv;
  void (*dots)(const Dots<T>&);
  // Transpose-pack: to[k * to_step + j] = from[j * from_step + k].
  void (*transpose_pack)(const Rearrangement<T>&);
  // Pack without a transpose: to[k * to_step + j] = from[k * from_step + j].
  void (*copy)(const Rearrangement<T>&);
};

// T is float, double, or int32_t: an element of A and B is then a pair of int16 that are neighbours
// along k, so that k counts pairs, and C and the bias are int32. Sums wrap.
template <typename T>
const GemmKernels<T>& gemm_kernels(Instructions instructions = best_instructions());
template <>
const GemmKernels<int32_t>& gemm_kernels(Instructions instructions);

}  // namespace mithril::cpu_backend
