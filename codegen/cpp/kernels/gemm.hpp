// Matrix products (GEMM).
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>

#include "codegen/cpp/kernels/tile.hpp"

namespace mithril::snippets {

// Whether these types use tiles; other products are plain loops.
template <typename T, typename... Operands>
inline constexpr bool has_tiles = std::is_floating_point_v<T> &&
                                  (std::is_same_v<T, std::remove_cv_t<Operands>> && ...);

// The initial value of C: zeros, or a bias for each row or for each column.
struct NoBias {
  NoBias transposed() const { return {}; }
  int at(int64_t, int64_t) const { return 0; }
};
template <typename X, bool by_row>
struct Bias {
  const X* data;

  Bias<X, !by_row> transposed() const { return {data}; }
  X at(int64_t i, int64_t j) const { return data[by_row ? i : j]; }
};

// C = A @ B + start, of m x k and k x n elements.
template <typename T, typename Start>
struct Gemm {
  int64_t m, n, k;
  Strided<const T> a, b;
  Strided<T> c;
  Start start;

  void run() const {
    const bool along_k = a.column == 1 && b.row == 1;
    if (along_k && n < 4) return dot_products();
    if (along_k && m < n) return transposed().run();  // packs the smaller matrix
    tiles();
  }

 private:
  static constexpr int64_t cached_elements = 1 << 17;  // of A, while panels of B pass
  static constexpr int64_t dot_depth = 4096;

  auto transposed() const {
    return Gemm<T, decltype(start.transposed())>{
        n, m, k, b.transposed(), a.transposed(), c.transposed(), start.transposed()};
  }

  void tiles() const {
    constexpr int64_t width = tile_width<T>;
    alignas(64) T panel[tile_depth * width];
    Tile<T> tile;
    const auto put = [this](const Tile<T>& made) { add(made); };
    for (int64_t from = 0; from == 0 || from < k; from += tile_depth) {
      const int64_t depth = std::min(tile_depth, k - from);
      const auto rows = [&](int64_t i) { return a.from(i, from); };
      const int64_t rows_at_once = cached_elements / std::max<int64_t>(1, depth);
      tile.first = from == 0;
      for (tile.row = 0; tile.row < m; tile.row += rows_at_once) {
        const int64_t height = std::min(rows_at_once, m - tile.row);
        for (tile.column = 0; tile.column < n; tile.column += width) {
          tile.columns = std::min(width, n - tile.column);
          Strided<const T> right = b.from(from, tile.column);
          if (b.column != 1 || tile.columns < width || height > tile_rows) {
            pack_panel(panel, right, depth, tile.columns);
            right = {panel, width, 1};
          }
          multiply_panel(tile, height, depth, rows, right.transposed(), put);
        }
      }
    }
  }

  // For a C with few columns.
  void dot_products() const {
    Tile<T> tile;
    tile.columns = 1;
    for (int64_t from = 0; from == 0 || from < k; from += dot_depth) {
      const int64_t depth = std::min(dot_depth, k - from);
      tile.first = from == 0;
      for (tile.column = 0; tile.column < n; ++tile.column) {
        const auto multiply = [&](auto count) {
          tile.rows = static_cast<int64_t>(count.size());
          for (; m - tile.row >= tile.rows; tile.row += tile.rows) {
            dot_rows(tile.sums, a.from(tile.row, from), b.from(from, tile.column).data, depth,
                     count);
            add(tile);
          }
        };
        tile.row = 0;
        multiply(std::make_index_sequence<4>());
        multiply(std::make_index_sequence<1>());
      }
    }
  }

  template <size_t... r>
  static void dot_rows(T* sums, Strided<const T> rows, const T* column, int64_t depth,
                       std::index_sequence<r...>) {
    Lanes<T> parts[] = {(static_cast<void>(r), Lanes<T>{})...};
    int64_t i = 0;
    for (; i + lane_count<T> <= depth; i += lane_count<T>) {
      const Lanes<T> x = load_lanes(column + i);
      ((parts[r] += x * load_lanes(rows.at(i) + rows.offset(r))), ...);
    }
    ((sums[r * tile_width<T>] = lane_sum<T>(parts[r])), ...);
    for (; i < depth; ++i) {
      ((sums[r * tile_width<T>] += column[i] * rows.at(i)[rows.offset(r)]), ...);
    }
  }

  // The inner loop runs along contiguous elements of C.
  void add(const Tile<T>& tile) const {
    const auto begin = [&](int64_t r, int64_t j) {
      return static_cast<T>(start.at(tile.row + r, tile.column + j));
    };
    if (c.column == 1) {
      for (int64_t r = 0; r < tile.rows; ++r) {
        T* const row = c.from(tile.row + r, tile.column).data;
        const T* const sums = tile.sums + r * tile_width<T>;
        if (tile.first) {
          each_column(tile, [&](int64_t j) { row[j] = begin(r, j) + sums[j]; });
        } else {
          each_column(tile, [&](int64_t j) { row[j] += sums[j]; });
        }
      }
    } else {
      for (int64_t j = 0; j < tile.columns; ++j) {
        T* const column = c.from(tile.row, tile.column + j).data;
        for (int64_t r = 0; r < tile.rows; ++r) {
          T& sum = column[c.offset(r)];
          sum = (tile.first ? begin(r, j) : sum) + tile.sums[r * tile_width<T> + j];
        }
      }
    }
  }
};

template <typename T, typename Start>
void gemm(int64_t m, int64_t n, int64_t k, Strided<const T> a, Strided<const T> b, Strided<T> c,
          Start start) {
  Gemm<T, Start>{m, n, k, a, b, c, start}.run();
}

}  // namespace mithril::snippets
