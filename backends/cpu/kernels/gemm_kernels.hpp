// The innermost loops of matrix products.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// c[i][j] = sum over k of a[k][i] * b[k][j], plus bias[j], for a few rows i and `nr` columns j.
template <typename T>
struct Tile {
  const T* a;  // the rows' elements for each k, or block of them, `a_step` apart
  int64_t a_step;
  const T* b;  // `nr` elements for each k, `b_step` apart
  int64_t b_step;
  T* c;  // row-major, `c_step` apart
  int64_t c_step;
  int64_t depth;  // of k
  bool add;       // this sum to the one in c
  const T* bias;  // added last; null: none
  // What will be read soon, and is asked for meanwhile: so many lines of the cache in each stretch
  // of k. Where there is one row: not 0 if b comes from memory.
  static constexpr int64_t stretch = 32;
  const T* next = nullptr;
  int64_t lines = 0;
  // Where the left side stands as it is: from a row to the next; 0: it is packed.
  int64_t a_row_step = 0;
};

// How tiles share in prefetching what is read after what they all read: so many elements, lying
// side by side, while each of so many tiles works through a depth.
struct Prefetching {
  template <typename T>
  static Prefetching of(int64_t elements, int64_t depth, int64_t tiles) {
    constexpr int64_t line = 64 / int64_t{sizeof(T)};
    const int64_t stretches = std::max<int64_t>(up(depth, Tile<T>::stretch), 1);
    const int64_t lines = up(up(elements, line), tiles * stretches);
    return {lines, lines * stretches * line};
  }

  int64_t lines;     // of the cache, in each stretch of a tile
  int64_t elements;  // that a tile asks for in all
};

// out[j] = sum over k of x[k] * rows[j][k], plus bias[j].
template <typename T>
struct Dots {
  const T* x;
  const T* rows;
  int64_t row_step;
  int64_t count;  // of rows
  int64_t depth;
  bool add;       // this sum to the one in out
  const T* bias;  // added last; null: none
  T* out;
};

// Where elements stand, and where they are put: `count` of them side by side for each k below
// `depth`, `to_step` apart.
template <typename T>
struct Rearrangement {
  const T* from;
  int64_t from_step;
  int64_t count, depth;
  T* to;
  int64_t to_step;
};

// Sums are in the order of k in every tile, whatever the number of its rows.
template <typename T>
struct GemmKernels {
  static constexpr int most_rows = 32;
  static constexpr int most_nr = 32;
  static constexpr int most_tiles = 4;
  static constexpr int most_depth = 4096 / int{sizeof(T)};
  int mr;           // rows of the largest tile
  int nr;           // columns of each
  int packing = 1;  // elements of a packed right side in place of a T
  // Rows that a panel of the right side has to meet in each thread for all threads to read it.
  int rows_worth_reading = 56;
  // Of k: as long as packed rows of tiles stay in the second-level cache; at most most_depth.
  int kc = most_depth;
  int left_block = 1;       // of k: elements of a row that lie side by side in a packed left side
  bool reads_rows = false;  // of a left side as it stands, too, if the elements of a row lie
  void (*tile[most_rows + 1])(const Tile<T>&);  // by rows, from 1 to mr
  // A panel of the right side stays in the first-level cache, and not a tile of the left one.
  bool keeps_right = false;
  // Gives back what tiles hold of the thread, after its last one; null: nothing.
  void (*release)() = nullptr;
  // Tiles of one row side by side, the b of each so far behind that of the one before: the sums of
  // one are too few to keep a processor busy. By their number, from 1; null: there are none.
  std::array<void (*)(const Tile<T>&, int64_t b_distance), most_tiles + 1> row;
  void (*dots)(const Dots<T>&);
  // to[k * to_step + j] = from[j * from_step + k]
  void (*interleave)(const Rearrangement<T>&);
  // to[k * to_step + j] = from[k * from_step + j]
  void (*copy)(const Rearrangement<T>&);
};

template <typename T>
const GemmKernels<T>& gemm_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
