#include "backends/cpu/gemm/gemm.hpp"

#include <algorithm>
#include <type_traits>

#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/kernels/integer_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr int64_t most_tiles_packed = 12;  // rows of tiles of A
// The bytes of a group of panels, a part of the second-level cache. All rows of A use a group
// before the next one.
constexpr int64_t column_group_bytes = int64_t{1} << 17;
// The epilogue runs after at least this many columns, while they are in the second-level cache.
constexpr int64_t epilogue_columns = 256;
// A is read in place up to these limits: it then stays in the second-level cache, and packing does
// not pay off for so few columns.
constexpr int64_t in_place_bytes = int64_t{1} << 20, in_place_columns = 1024;
// The depth to which the tiles of a transposed A are packed side by side. The cache lines that they
// share then stay in the L1 cache, and the pages in the L1 TLB.
constexpr int64_t depth_of_shared_lines = 64;
// The columns of B that a GEMV with a transposed B reads at a time: a multiple of the columns that
// the kernel reads at once.
constexpr int64_t columns_of_dots = 64;
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
  alignas(64) T c[GemmKernels<T>::most_rows * GemmKernels<T>::most_nr];
  alignas(64) T bias[GemmKernels<T>::most_nr];
};

template <typename T>
void run_epilogue(const Gemm<T>& p, const BlockOfC& block, int64_t row, int64_t rows) {
  const int64_t begin = row * p.n + block.first_column,
                size = block.last_column - block.first_column;
  if constexpr (std::is_same_v<T, int32_t>) {
    for (int64_t i = 0; i < rows && p.scales; ++i) {
      T* const at = p.c + begin + i * p.n;
      scaled_integer_kernels().widen(at, p.scales + block.first_column, size,
                                     reinterpret_cast<float*>(at));
    }
  }
  p.epilogue.run({.begin = begin, .size = size, .rows = rows, .step = p.n});
}

template <typename T>
class BlockedGemm {
 public:
  BlockedGemm(const Gemm<T>& gemm, const BlockOfC& block)
      : p_(gemm), block_(block), kernels_(*gemm.kernels) {}

  void run() {
    const Range all{block_.first_row, block_.last_row};
    if (all.size() == 1) return run_only_row();
    const int64_t parts = up(up(all.size(), kernels_.mr), most_tiles_packed);
    each_k_block([&](Range k_block) {
      for (int64_t part = 0; part < parts; ++part) {
        run_rows(all.part(part, parts), k_block);
      }
    });
  }

 private:
  static constexpr int64_t most_depth = GemmKernels<T>::most_depth;

  // Rows of A, packed or in place.
  struct RowsOfA {
    const T* data;
    int64_t step;
  };

  // Splits k into blocks, each with a sum of its own. The blocks depend only on the sizes of the
  // GEMM, so that the bits of a row do not depend on the block of rows that contains it.
  template <typename Do>
  void each_k_block(const Do& what) const {
    const int64_t most = in_place_ ? longest_sum : kernels_.kc;
    const int64_t spans = std::max<int64_t>(up(p_.k, most), 1), size = up(p_.k, spans);
    for (int64_t i = 0; i < spans; ++i) {
      what(Range{std::min(i * size, p_.k), std::min((i + 1) * size, p_.k)});
    }
  }

  // Whether A is read in place.
  bool reads_a_in_place() const {
    return p_.a.column_step == 1 && p_.n <= in_place_columns &&
           p_.m * p_.k * int64_t{sizeof(T)} <= in_place_bytes &&
           (p_.packed_b || p_.k <= most_depth);
  }

  // Groups of `size` columns in the direction of the GEMM, each with the group that follows.
  template <typename Do>
  void each_group(int64_t size, const Do& what) const {
    const Range all{block_.first_column, block_.last_column};
    const auto group = [&](int64_t i) {
      const int64_t first = all.first + i * size;
      return Range{std::clamp(first, all.first, all.last),
                   std::clamp(first + size, all.first, all.last)};
    };
    const int64_t next = p_.direction == Direction::forward ? 1 : -1;
    iterate(p_.direction, 0, up(all.size(), size),
            [&](int64_t i) { what(group(i), group(i + next)); });
  }

  // GEMV: reads the row of A in place. Reads a few panels of B at a time. Reads all columns of an
  // unpacked B for each of several blocks of k.
  void run_only_row() {
    const bool by_panels = p_.packed_b || p_.k <= longest_sum;
    const int64_t all = block_.last_column - block_.first_column;
    each_group(by_panels ? kernels_.most_tiles * kernels_.nr : all, [&](Range columns, Range) {
      each_k_block([&](Range k_block) { run_row(columns.first, columns.last, k_block); });
    });
    run_epilogue(p_, block_, block_.first_row, 1);
  }

  void run_row(int64_t first, int64_t last, Range k_block) {
    const int64_t i = block_.first_row;
    const RowsOfA row{k_block.size() > 0 ? a_at(i, k_block.first) : nullptr, p_.a.column_step};
    for (int64_t j = run_tiles(i, row, first, last, k_block); j < last; j += kernels_.nr)
      run_tile(tile_at(i, row, j, k_block), 1, j, k_block);
  }

  // Splits the rows into tiles whose heights differ by at most 1. A tile with few rows takes as
  // long as one with many, because its few accumulators do not hide the latency of a multiply-add.
  // Reads each panel of B from memory once: all rows use a group of panels while it is in the
  // cache, and prefetch the next group.
  void run_rows(Range rows, Range k_block) {
    const int64_t tiles = up(rows.size(), kernels_.mr);
    if (!in_place_) pack_tiles(rows, tiles, k_block);
    const int64_t nr = kernels_.nr, columns = group_columns(k_block);
    // Each tile prefetches its share of one panel of the next group.
    const auto prefetching =
        Prefetching::of<T>(k_block.size() * nr / kernels_.packing, k_block.size(), tiles);
    Range waiting{block_.last_column, block_.first_column};  // for the epilogue
    each_group(columns, [&](Range group, Range following) {
      const int64_t first = group.first, last = group.last;
      const T* next = next_group(following, k_block);
      const auto run = [&](int64_t at, int64_t j) {
        const Range own = rows.part(at, tiles);
        const RowsOfA a{in_place_ ? a_at(own.first, k_block.first) : packed_a(at), kernels_.mr};
        Tile<T> tile = tile_at(own.first, a, j, k_block);
        if (in_place_) tile.a_row_step = p_.a.row_step;
        if (next) {
          tile.next = next + (j - first) * p_.k / kernels_.packing + at * prefetching.elements;
          tile.lines = prefetching.lines;
        }
        run_tile(tile, own.size(), j, k_block);
      };
      if (kernels_.b_stationary) {
        for (int64_t j = first; j < last; j += nr) {
          for (int64_t tile = 0; tile < tiles; ++tile) run(tile, j);
        }
      } else {
        for (int64_t tile = 0; tile < tiles; ++tile) {
          for (int64_t j = first; j < last; j += nr) run(tile, j);
        }
      }
      waiting = {std::min(waiting.first, first), std::max(waiting.last, last)};
      const bool enough = waiting.size() >= epilogue_columns || following.size() == 0;
      if (k_block.last < p_.k || !enough) return;
      run_epilogue(p_, {rows.first, rows.last, waiting.first, waiting.last}, rows.first,
                   rows.size());
      waiting = {block_.last_column, block_.first_column};
    });
  }

  // A cache line of a transposed A holds elements of several tiles, and each k is in another page.
  // So all tiles read a few k, then the next few.
  void pack_tiles(Range rows, int64_t tiles, Range k_block) {
    const bool shares_lines = p_.a.row_step == 1 && kernels_.a_block == 1;
    const int64_t step = shares_lines ? depth_of_shared_lines : most_depth;
    for (int64_t k = k_block.first; k < k_block.last; k += step) {
      const Range part{k, std::min(k + step, k_block.last)};
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const Range own = rows.part(tile, tiles);
        pack_a(own.first, own.size(), part, packed_a(tile) + (k - k_block.first) * kernels_.mr);
      }
    }
  }

  int64_t group_columns(Range k_block) const {
    const int64_t bytes = kernels_.nr * std::max<int64_t>(k_block.size(), 1) * int64_t{sizeof(T)};
    return std::max<int64_t>(column_group_bytes / bytes, 1) * kernels_.nr;
  }

  // The packed panels that are read after a group; null: B is not packed, or none are.
  const T* next_group(Range following, Range k_block) const {
    if (!p_.packed_b) return nullptr;
    if (following.size() > 0) return b_at(following.first, k_block.first);
    if (k_block.last == p_.k || p_.direction == Direction::backward) return nullptr;
    return b_at(block_.first_column, k_block.last);
  }

  T* packed_a(int64_t tile) const { return packed_a_ + tile * kernels_.mr * most_depth; }

  const T* a_at(int64_t i, int64_t k) const {
    return p_.a.data + i * p_.a.row_step + k * p_.a.column_step;
  }

  // Packs a_block values of k per row contiguously, then the next block.
  void pack_a(int64_t i, int64_t rows, Range k_block, T* to) {
    if (k_block.size() == 0) return;
    const Matrix<T>& a = p_.a;
    const T* from = a_at(i, k_block.first);
    const int64_t mr = kernels_.mr, block = kernels_.a_block, depth = k_block.size();
    if (block == 1) {
      return pack_lines(kernels_, {from, a.row_step, rows, depth, to, mr}, a.column_step);
    }
    for (int64_t k = 0; k < depth; k += block, to += block * mr) {
      const int64_t count = std::min(block, depth - k);
      const T* next = from + k * a.column_step;
      pack_lines(kernels_, {next, a.column_step, count, rows, to, block}, a.row_step);
    }
  }

  // Runs the whole tiles. Returns the first column that is left.
  int64_t run_tiles(int64_t i, RowsOfA row, int64_t first, int64_t last, Range k_block) {
    const int64_t nr = kernels_.nr;
    const int64_t b_distance = p_.packed_b ? p_.k * nr / kernels_.packing : nr;
    int64_t j = first;
    if (!kernels_.gemv[1]) return j;
    while (j + nr <= last) {
      const auto tiles = std::min<int64_t>((last - j) / nr, kernels_.most_tiles);
      Tile<T> tile = tile_at(i, row, j, k_block);
      tile.lines = comes_from_memory();
      kernels_.gemv[static_cast<size_t>(tiles)](tile, b_distance);
      j += tiles * nr;
    }
    return j;
  }

  bool comes_from_memory() const {
    const int64_t columns = block_.last_column - block_.first_column;
    return p_.k * columns * int64_t{sizeof(T)} / kernels_.packing >= bytes_from_memory;
  }

  const T* b_at(int64_t j, int64_t k) const {
    if (p_.packed_b) return p_.packed_b + (j * p_.k + k * kernels_.nr) / kernels_.packing;
    return p_.b.data + k * p_.b.row_step + j;
  }

  Tile<T> tile_at(int64_t i, RowsOfA a, int64_t j, Range k_block) const {
    return {.a = a.data,
            .a_step = a.step,
            .b = k_block.size() > 0 ? b_at(j, k_block.first) : nullptr,
            .b_step = p_.packed_b ? kernels_.nr : p_.b.row_step,
            .c = p_.c + i * p_.n + j,
            .c_step = p_.n,
            .depth = k_block.size(),
            .add = p_.accumulates || k_block.first > 0,
            .bias = p_.bias && k_block.last == p_.k ? p_.bias + j : nullptr};
  }

  void run_tile(const Tile<T>& tile, int64_t rows, int64_t j, Range k_block) {
    const int64_t columns = std::min<int64_t>(kernels_.nr, p_.n - j);
    if (columns == kernels_.nr) return kernels_.tile[rows](tile);
    run_margin(tile, rows, columns, j, k_block);
  }

  void run_margin(Tile<T> tile, int64_t rows, int64_t columns, int64_t j, Range k_block) {
    const int64_t nr = kernels_.nr;
    T* c = tile.c;
    margin_ = {};
    for (int64_t row = 0; row < rows && tile.add; ++row) {
      std::copy_n(c + row * p_.n, columns, margin_.c + row * nr);
    }
    if (tile.bias) {
      std::copy_n(tile.bias, columns, margin_.bias);
      tile.bias = margin_.bias;
    }
    if (!p_.packed_b) {
      if (packed_from_ != k_block.first) pack_margin(j, k_block);
      tile.b = margin_b_;
      tile.b_step = nr;
    }
    tile.c = margin_.c;
    tile.c_step = nr;
    kernels_.tile[rows](tile);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(margin_.c + row * nr, columns, c + row * p_.n);
    }
  }

  void pack_margin(int64_t j, Range k_block) {
    Gemm<T> margin = p_;
    if (k_block.size() > 0) {
      margin.b.data += k_block.first * p_.b.row_step + j * p_.b.column_step;
    }
    margin.k = k_block.size();
    margin.n = p_.n - j;
    pack_b(margin, 0, 1, margin_b_);
    packed_from_ = k_block.first;
  }

  // The memory of this thread for packed rows of A.
  static T* packed_a_memory() {
    struct Memory {
      alignas(64) T tiles[most_tiles_packed * GemmKernels<T>::most_rows * most_depth];
    };
    thread_local const auto memory = std::make_unique_for_overwrite<Memory>();
    return memory->tiles;
  }

  const Gemm<T>& p_;
  const BlockOfC block_;
  const GemmKernels<T>& kernels_;
  const bool in_place_ = reads_a_in_place();
  int64_t packed_from_ = -1;  // the first k of margin_b_; -1: margin_b_ is empty
  Margin<T> margin_;
  T* const packed_a_ = packed_a_memory();
  alignas(64) T margin_b_[most_depth * GemmKernels<T>::most_nr];
};

template <typename T>
void run_dots(const Gemm<T>& p, const BlockOfC& block) {
  // Each lane of a vector has a sum of its own.
  const int64_t longest_dot = p.kernels->nr / 2 * longest_sum;
  const Range all{block.first_column, block.last_column};
  for (int64_t i = block.first_row; i < block.last_row; ++i) {
    iterate(p.direction, 0, up(all.size(), columns_of_dots), [&](int64_t group) {
      const int64_t first = all.first + group * columns_of_dots;
      for (int64_t k = 0; k == 0 || k < p.k; k += longest_dot) {
        const int64_t depth = std::min(longest_dot, p.k - k);
        p.kernels->dots({.x = p.a.data + i * p.a.row_step + k,
                         .rows = p.b.data + first * p.b.column_step + k,
                         .row_step = p.b.column_step,
                         .count = std::min(columns_of_dots, all.last - first),
                         .depth = depth,
                         .add = p.accumulates || k > 0,
                         .bias = p.bias && k + depth == p.k ? p.bias + first : nullptr,
                         .out = p.c + i * p.n + first});
      }
    });
    run_epilogue(p, block, i, 1);
  }
}

}  // namespace

void GemmPlan::choose(bool rows_of_a, bool rows_of_b, bool columns_of_b) {
  dots_ = rows_of_a && columns_of_b && !rows_of_b && m_ <= few_rows;
  packs_ = !dots_ && !(rows_of_b && m_ <= 2 * mr_);
}

bool GemmPlan::packs_for_loop() const { return m_ > few_rows && k_ * n_ > 0; }

// Partitions the rows if each thread gets enough of them to pack its own, or if there are too few
// panels to partition the columns.
int64_t GemmPlan::row_parts(int threads) const {
  if (up(m_, mr_) < threads || work() < threads * multiplications_grain_size) return 1;
  return m_ >= threads * rows_worth_reading_ || panels() < threads ? threads : 1;
}

int64_t GemmPlan::column_parts(int threads) const {
  if (row_parts(threads) > 1) return 1;
  return task_count(
      {.amount = work(), .pieces = panels(), .grain_size = multiplications_grain_size}, threads);
}

int64_t GemmPlan::work() const {
  return std::max(m_, rows_of_reading) * panels() * nr_ * std::max<int64_t>(k_, 1);
}

int GemmPlan::tasks(int threads) const {
  return static_cast<int>(row_parts(threads) * column_parts(threads));
}

BlockOfC GemmPlan::block(int task, int threads) const {
  const auto part = [](int64_t count, int64_t unit, int64_t parts, int64_t which) {
    return std::min(count, up(count, unit) * which / parts * unit);
  };
  const int64_t height = row_parts(threads), width = column_parts(threads);
  const int64_t row = task / width, column = task % width;
  return {part(m_, 1, height, row), part(m_, 1, height, row + 1), part(n_, nr_, width, column),
          part(n_, nr_, width, column + 1)};
}

template <typename T>
void multiply(const Gemm<T>& gemm, const GemmPlan& plan, const BlockOfC& block) {
  if (block.first_row == block.last_row || block.first_column == block.last_column) return;
  if (plan.dots() && !gemm.packed_b) return run_dots(gemm, block);
  BlockedGemm<T>(gemm, block).run();
  if (gemm.kernels->release) gemm.kernels->release();
}

template void multiply(const Gemm<float>&, const GemmPlan&, const BlockOfC&);
template void multiply(const Gemm<double>&, const GemmPlan&, const BlockOfC&);
template void multiply(const Gemm<int32_t>&, const GemmPlan&, const BlockOfC&);

}  // namespace mithril::cpu_backend
