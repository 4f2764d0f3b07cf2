// Tiles of GEMMs: sums that stay in registers.
#pragma once
#include <algorithm>
#include <utility>

#include "codegen/cpp/kernels/lanes.hpp"

namespace mithril::snippets {

// Element (i, k) of a matrix is at(k)[offset(i)].
template <typename T>
struct Strided {
  T* data;
  int64_t row, column;

  T* at(int64_t k) const { return data + k * column; }
  int64_t offset(int64_t i) const { return i * row; }
  Strided from(int64_t i, int64_t k) const { return {data + i * row + k * column, row, column}; }
  Strided transposed() const { return {data, column, row}; }
};

// The columns of a tile.
template <typename T>
inline constexpr int64_t tile_width = 2 * lane_count<T>;

// The products in one chain of sums: a panel of B of that depth fits the L1 cache, and the rounding
// error of a sum of k products grows with 256 + k / 256, not with k.
inline constexpr int64_t tile_depth = 256;

// Sums of products for rows `row`, ... and columns `column`, ... of C.
template <typename T>
struct Tile {
  int64_t row, rows, column, columns;
  bool first;  // whether nothing has been summed yet
  alignas(64) T sums[tile_rows * tile_width<T>];
};

// sums[r][c] = sum over k < depth of a.at(k)[a.offset(r)] * b.at(k)[c]
template <typename T, typename A, typename B, size_t... r>
void multiply_rows(T* sums, int64_t depth, const A& a, const B& b, std::index_sequence<r...>) {
  Lanes<T> left[] = {(static_cast<void>(r), Lanes<T>{})...};
  Lanes<T> right[] = {(static_cast<void>(r), Lanes<T>{})...};
#if defined(__clang__)  // otherwise it runs out of registers
#pragma clang loop unroll(disable)
#endif
  for (int64_t k = 0; k < depth; ++k) {
    const T *const x = a.at(k), *const y = b.at(k);
    const Lanes<T> y0 = load_lanes(y), y1 = load_lanes(y + lane_count<T>);
    ((left[r] += y0 * x[a.offset(r)], right[r] += y1 * x[a.offset(r)]), ...);
  }
  ((store_lanes<T>(sums + r * tile_width<T>, left[r]),
    store_lanes<T>(sums + r * tile_width<T> + lane_count<T>, right[r])),
   ...);
}

// Calls put(tile) for tiles that cover `rows` rows of one panel of B; a(i) is A from row i on.
template <typename T, typename A, typename B, typename Put>
void multiply_panel(Tile<T>& tile, int64_t rows, int64_t depth, const A& a, const B& b,
                    const Put& put) {
  const int64_t begin = tile.row, end = begin + rows;
  const auto multiply = [&](auto count) {
    constexpr auto height = static_cast<int64_t>(count.size());
    for (; end - tile.row >= height; tile.row += height) {
      tile.rows = height;
      multiply_rows(tile.sums, depth, a(tile.row), b, count);
      put(static_cast<const Tile<T>&>(tile));
    }
  };
  multiply(std::make_index_sequence<tile_rows>());
  multiply(std::make_index_sequence<4>());
  multiply(std::make_index_sequence<1>());
  tile.row = begin;
}

// Copies rows into a panel, padded with zeros beyond the end of B.
template <typename T>
void pack_panel(T* panel, Strided<const T> b, int64_t depth, int64_t columns) {
  constexpr int64_t width = tile_width<T>;
  if (columns < width) std::fill_n(panel, depth * width, T());
  if (b.column == 1) {
    for (int64_t k = 0; k < depth; ++k) std::copy_n(b.data + k * b.row, columns, panel + k * width);
    return;
  }
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t k = 0; k < depth; ++k) panel[k * width + c] = b.data[k * b.row + c * b.column];
  }
}

// Calls body(c) for the columns of a tile, in a loop of constant length if the tile is full.
template <typename T, typename Body>
void each_column(const Tile<T>& tile, const Body& body) {
  if (tile.columns == tile_width<T>) {
    for (int64_t c = 0; c < tile_width<T>; ++c) body(c);
  } else {
    for (int64_t c = 0; c < tile.columns; ++c) body(c);
  }
}

}  // namespace mithril::snippets
