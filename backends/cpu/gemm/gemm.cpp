#include "backends/cpu/gemm/gemm.hpp"

#include <algorithm>
#include <memory>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr int64_t most_tiles_packed = 12;  // rows of tiles of A
// The bytes of a group of panels, a part of the second-level cache. All rows of A use a group
// before the next one.
constexpr int64_t group_bytes = int64_t{1} << 17;
// The epilogue runs after at least this many columns, while they are in the second-level cache.
constexpr int64_t epilogue_columns = 256;
// A is read in place up to these limits: it then stays in the second-level cache, and packing does
// not pay off for so few columns.
constexpr int64_t bytes_to_stand = int64_t{1} << 20, columns_to_stand = 1024;
// Up to this number of rows, packing B costs more than it saves.
constexpr int64_t few_rows = 3;
// With fewer rows, the time of a column of B is the time to read it.
constexpr int64_t rows_of_reading = 4;
// A GEMV prefetches B from this many bytes on: B then does not stay in the second-level cache of a
// thread.
constexpr int64_t bytes_from_memory = 1 << 20;

// The C tile and the bias of a last panel that is narrower than nr.
template <typename T>
struct Margin {
  alignas(64) T product[GemmKernels<T>::most_rows * GemmKernels<T>::most_nr];
  alignas(64) T bias[GemmKernels<T>::most_nr];
};

template <typename T>
void run_epilogue(const Gemm<T>& p, const Block& block, int64_t row, int64_t rows) {
  p.epilogue.run({.begin = row * p.columns + block.first_column,
                  .size = block.last_column - block.first_column,
                  .rows = rows,
                  .step = p.columns});
}

template <typename T>
class Blocks {
 public:
  Blocks(const Gemm<T>& product, const Block& block)
      : p_(product), block_(block), kernels_(*product.kernels) {}

  void run() {
    const int64_t rows = block_.last_row - block_.first_row;
    if (rows == 1) return run_only_row();
    const int64_t parts = up(up(rows, kernels_.mr), most_tiles_packed);
    each_k_block([&](KBlock k_block) {
      for (int64_t part = 0; part < parts; ++part) {
        run_rows(
            {block_.first_row + rows * part / parts, block_.first_row + rows * (part + 1) / parts},
            k_block);
      }
    });
  }

 private:
  static constexpr int64_t most_depth = GemmKernels<T>::most_depth;

  struct KBlock {
    int64_t first, last;

    int64_t size() const { return last - first; }
  };

  // Rows of A, packed or in place.
  struct Left {
    const T* data;
    int64_t step;
  };

  // Splits k into blocks, each with a sum of its own. The blocks depend only on the sizes of the
  // product, so that the bits of a row do not depend on the block of rows that contains it.
  template <typename Do>
  void each_k_block(const Do& what) const {
    const int64_t most = stands_ ? longest_sum : kernels_.kc;
    const int64_t spans = std::max<int64_t>(up(p_.depth, most), 1), size = up(p_.depth, spans);
    for (int64_t i = 0; i < spans; ++i) {
      what(KBlock{std::min(i * size, p_.depth), std::min((i + 1) * size, p_.depth)});
    }
  }

  // Whether A is read in place.
  bool left_stands() const {
    return p_.left.column_step == 1 && p_.columns <= columns_to_stand &&
           p_.rows * p_.depth * int64_t{sizeof(T)} <= bytes_to_stand &&
           (p_.packed || p_.depth <= most_depth);
  }

  // GEMV: reads the row of A in place. Reads the panels of a packed B in order, a few at a time.
  // Reads all columns of an unpacked B for each block of k.
  void run_only_row() {
    const int64_t columns = block_.last_column - block_.first_column;
    const int64_t step = p_.packed ? kernels_.most_tiles * kernels_.nr : columns;
    for (int64_t j = block_.first_column; j < block_.last_column; j += step) {
      const int64_t end = std::min(j + step, block_.last_column);
      each_k_block([&](KBlock k_block) { run_row(j, end, k_block); });
    }
    run_epilogue(p_, block_, block_.first_row, 1);
  }

  void run_row(int64_t first, int64_t last, KBlock k_block) {
    const int64_t i = block_.first_row;
    const Left row{k_block.size() > 0 ? a_at(i, k_block.first) : nullptr, p_.left.column_step};
    for (int64_t j = run_tiles(i, row, first, last, k_block); j < last; j += kernels_.nr) {
      run_tile(tile_at(i, row, j, k_block), 1, j, k_block);
    }
  }

  // Splits the rows into tiles of about the same mr. Reads each panel of B from memory once: all
  // rows use a group of panels while it is in the cache, and prefetch the next group.
  void run_rows(KBlock rows, KBlock k_block) {
    const int64_t tiles = up(rows.size(), kernels_.mr), mr = up(rows.size(), tiles);
    for (int64_t i = rows.first; i < rows.last && !stands_; i += mr) {
      pack_a(i, std::min(mr, rows.last - i), k_block, packed_a(i - rows.first, mr));
    }
    const int64_t nr = kernels_.nr, columns = group_columns(k_block);
    // Each tile prefetches its share of one panel of the next group.
    const auto prefetching =
        Prefetching::of<T>(k_block.size() * nr / kernels_.packing, k_block.size(), tiles);
    int64_t finished = block_.first_column;
    for (int64_t first = finished, last; first < block_.last_column; first = last) {
      last = std::min(first + columns, block_.last_column);
      const T* next = next_group(last, k_block);
      const auto run = [&](int64_t row, int64_t j) {
        const int64_t i = rows.first + row * mr;
        const Left left{stands_ ? a_at(i, k_block.first) : packed_a(i - rows.first, mr),
                        kernels_.mr};
        Tile<T> tile = tile_at(i, left, j, k_block);
        if (stands_) tile.a_row_step = p_.left.row_step;
        if (next) {
          tile.next = next + (j - first) * p_.depth / kernels_.packing + row * prefetching.elements;
          tile.lines = prefetching.lines;
        }
        run_tile(tile, std::min(mr, rows.last - i), j, k_block);
      };
      if (kernels_.keeps_right) {
        for (int64_t j = first; j < last; j += nr) {
          for (int64_t row = 0; row < tiles; ++row) run(row, j);
        }
      } else {
        for (int64_t row = 0; row < tiles; ++row) {
          for (int64_t j = first; j < last; j += nr) run(row, j);
        }
      }
      const bool enough = last - finished >= epilogue_columns || last == block_.last_column;
      if (k_block.last < p_.depth || !enough) continue;
      run_epilogue(p_, {rows.first, rows.last, finished, last}, rows.first, rows.size());
      finished = last;
    }
  }

  int64_t group_columns(KBlock k_block) const {
    const int64_t bytes = kernels_.nr * std::max<int64_t>(k_block.size(), 1) * int64_t{sizeof(T)};
    return std::max<int64_t>(group_bytes / bytes, 1) * kernels_.nr;
  }

  // The packed panels that follow those before column `last`; null: B is not packed, or none
  // follow.
  const T* next_group(int64_t last, KBlock k_block) const {
    if (!p_.packed) return nullptr;
    if (last < block_.last_column) return b_at(last, k_block.first);
    return k_block.last < p_.depth ? b_at(block_.first_column, k_block.last) : nullptr;
  }

  T* packed_a(int64_t row, int64_t mr) const { return left_ + row / mr * kernels_.mr * most_depth; }

  const T* a_at(int64_t i, int64_t k) const {
    return p_.left.data + i * p_.left.row_step + k * p_.left.column_step;
  }

  void pack_a(int64_t i, int64_t rows, KBlock k_block, T* to) {
    if (k_block.size() == 0) return;
    const Matrix<T>& left = p_.left;
    const T* from = a_at(i, k_block.first);
    const int64_t mr = kernels_.mr, block = kernels_.left_block;
    if (block > 1) return pack_blocks(from, rows, k_block.size(), to);
    if (left.row_step == 1) {
      return kernels_.copy({from, left.column_step, rows, k_block.size(), to, mr});
    }
    if (left.column_step == 1) {
      return kernels_.interleave({from, left.row_step, rows, k_block.size(), to, mr});
    }
    for (int64_t row = 0; row < rows; ++row) {
      const T* next = from + row * left.row_step;
      for (int64_t k = 0; k < k_block.size(); ++k) to[k * mr + row] = next[k * left.column_step];
    }
  }

  // Packs left_block k of a row contiguously, then those of the next row.
  void pack_blocks(const T* from, int64_t rows, int64_t depth, T* to) {
    const Matrix<T>& left = p_.left;
    const int64_t block = kernels_.left_block;
    for (int64_t k = 0; k < depth; k += block, to += block * kernels_.mr) {
      const T* next = from + k * left.column_step;
      const int64_t count = std::min(block, depth - k);
      if (left.column_step == 1) {
        kernels_.copy({next, left.row_step, count, rows, to, block});
      } else if (left.row_step == 1) {
        kernels_.interleave({next, left.column_step, count, rows, to, block});
      } else {
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t j = 0; j < count; ++j) {
            to[row * block + j] = next[row * left.row_step + j * left.column_step];
          }
        }
      }
    }
  }

  // Runs the whole tiles. Returns the first column that is left.
  int64_t run_tiles(int64_t i, Left row, int64_t first, int64_t last, KBlock k_block) {
    const int64_t nr = kernels_.nr;
    const int64_t b_distance = p_.packed ? p_.depth * nr / kernels_.packing : nr;
    int64_t j = first;
    if (!kernels_.row[1]) return j;
    while (j + nr <= last) {
      const auto tiles = std::min<int64_t>((last - j) / nr, kernels_.most_tiles);
      Tile<T> tile = tile_at(i, row, j, k_block);
      tile.lines = comes_from_memory();
      kernels_.row[static_cast<size_t>(tiles)](tile, b_distance);
      j += tiles * nr;
    }
    return j;
  }

  bool comes_from_memory() const {
    const int64_t columns = block_.last_column - block_.first_column;
    return p_.depth * columns * int64_t{sizeof(T)} / kernels_.packing >= bytes_from_memory;
  }

  const T* b_at(int64_t j, int64_t k) const {
    if (p_.packed) return p_.packed + (j * p_.depth + k * kernels_.nr) / kernels_.packing;
    return p_.right.data + k * p_.right.row_step + j;
  }

  Tile<T> tile_at(int64_t i, Left left, int64_t j, KBlock k_block) const {
    return {.a = left.data,
            .a_step = left.step,
            .b = k_block.size() > 0 ? b_at(j, k_block.first) : nullptr,
            .b_step = p_.packed ? kernels_.nr : p_.right.row_step,
            .c = p_.product + i * p_.columns + j,
            .c_step = p_.columns,
            .depth = k_block.size(),
            .add = k_block.first > 0,
            .bias = p_.bias && k_block.last == p_.depth ? p_.bias + j : nullptr};
  }

  void run_tile(const Tile<T>& tile, int64_t rows, int64_t j, KBlock k_block) {
    const int64_t columns = std::min<int64_t>(kernels_.nr, p_.columns - j);
    if (columns == kernels_.nr) return kernels_.tile[rows](tile);
    run_beside(tile, rows, columns, j, k_block);
  }

  void run_beside(Tile<T> tile, int64_t rows, int64_t columns, int64_t j, KBlock k_block) {
    const int64_t nr = kernels_.nr;
    T* product = tile.c;
    margin_ = {};
    for (int64_t row = 0; row < rows && tile.add; ++row) {
      std::copy_n(product + row * p_.columns, columns, margin_.product + row * nr);
    }
    if (tile.bias) {
      std::copy_n(tile.bias, columns, margin_.bias);
      tile.bias = margin_.bias;
    }
    if (!p_.packed) {
      if (packed_from_ != k_block.first) pack_margin(j, k_block);
      tile.b = right_;
      tile.b_step = nr;
    }
    tile.c = margin_.product;
    tile.c_step = nr;
    kernels_.tile[rows](tile);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(margin_.product + row * nr, columns, product + row * p_.columns);
    }
  }

  void pack_margin(int64_t j, KBlock k_block) {
    Gemm<T> margin = p_;
    if (k_block.size() > 0) {
      margin.right.data += k_block.first * p_.right.row_step + j * p_.right.column_step;
    }
    margin.depth = k_block.size();
    margin.columns = p_.columns - j;
    pack_b(margin, 0, 1, right_);
    packed_from_ = k_block.first;
  }

  // The memory of this thread for packed rows of A.
  static T* left_memory() {
    struct Memory {
      alignas(64) T tiles[most_tiles_packed * GemmKernels<T>::most_rows * most_depth];
    };
    thread_local const auto memory = std::make_unique_for_overwrite<Memory>();
    return memory->tiles;
  }

  const Gemm<T>& p_;
  const Block block_;
  const GemmKernels<T>& kernels_;
  const bool stands_ = left_stands();
  int64_t packed_from_ = -1;  // the first k of right_; -1: right_ is empty
  Margin<T> margin_;
  T* const left_ = left_memory();
  alignas(64) T right_[most_depth * GemmKernels<T>::most_nr];
};

template <typename T>
void run_dots(const Gemm<T>& p, const Block& block) {
  // Each lane of a vector has a sum of its own.
  const int64_t longest_dot = p.kernels->nr / 2 * longest_sum;
  const int64_t first = block.first_column;
  for (int64_t i = block.first_row; i < block.last_row; ++i) {
    for (int64_t k = 0; k == 0 || k < p.depth; k += longest_dot) {
      const int64_t depth = std::min(longest_dot, p.depth - k);
      p.kernels->dots({.x = p.left.data + i * p.left.row_step + k,
                       .rows = p.right.data + first * p.right.column_step + k,
                       .row_step = p.right.column_step,
                       .count = block.last_column - first,
                       .depth = depth,
                       .add = k > 0,
                       .bias = p.bias && k + depth == p.depth ? p.bias + first : nullptr,
                       .out = p.product + i * p.columns + first});
    }
    run_epilogue(p, block, i, 1);
  }
}

}  // namespace

void GemmPlan::choose(bool left_rows_lie, bool rows_lie, bool columns_lie) {
  dots_ = left_rows_lie && columns_lie && !rows_lie && rows_ <= few_rows;
  packs_ = !dots_ && !(rows_lie && rows_ <= 2 * mr_);
}

// Partitions the rows if each thread gets enough of them to pack its own, or if there are too few
// panels to partition the columns.
int64_t GemmPlan::row_parts(int threads) const {
  if (up(rows_, mr_) < threads || work() < threads * multiplications_grain_size) return 1;
  return rows_ >= threads * rows_worth_reading_ || panels() < threads ? threads : 1;
}

int64_t GemmPlan::column_parts(int threads) const {
  if (row_parts(threads) > 1) return 1;
  return task_count(
      {.amount = work(), .pieces = panels(), .grain_size = multiplications_grain_size}, threads);
}

int64_t GemmPlan::work() const {
  return std::max(rows_, rows_of_reading) * panels() * nr_ * std::max<int64_t>(depth_, 1);
}

int GemmPlan::tasks(int threads) const {
  return static_cast<int>(row_parts(threads) * column_parts(threads));
}

Block GemmPlan::block(int task, int threads) const {
  const auto part = [](int64_t count, int64_t unit, int64_t parts, int64_t which) {
    return std::min(count, up(count, unit) * which / parts * unit);
  };
  const int64_t height = row_parts(threads), width = column_parts(threads);
  const int64_t row = task / width, column = task % width;
  return {part(rows_, 1, height, row), part(rows_, 1, height, row + 1),
          part(columns_, nr_, width, column), part(columns_, nr_, width, column + 1)};
}

template <typename T>
void multiply(const Gemm<T>& product, const GemmPlan& plan, const Block& block) {
  if (block.first_row == block.last_row || block.first_column == block.last_column) return;
  if (plan.dots() && !product.packed) return run_dots(product, block);
  Blocks<T>(product, block).run();
  if (product.kernels->release) product.kernels->release();
}

template void multiply(const Gemm<float>&, const GemmPlan&, const Block&);
template void multiply(const Gemm<double>&, const GemmPlan&, const Block&);

}  // namespace mithril::cpu_backend
