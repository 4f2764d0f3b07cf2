#include "backends/cpu/matmul.hpp"

#include <algorithm>

namespace mithril::cpu_backend {
namespace {

// Of k: as long as a tile of the left side stays in the first-level cache.
constexpr int64_t depth_block = 512;
// Rows up to which packing the right side costs more than it saves.
constexpr int64_t few_rows = 3;
// Multiplications that are worth a thread of their own: some microseconds.
constexpr int64_t worth_a_thread = 1 << 18;
// Where a column of the right side meets fewer rows, the time is that of reading it.
constexpr int64_t rows_of_reading = 4;

int64_t up(int64_t count, int64_t by) { return (count + by - 1) / by; }

// Where the last panel is narrower than a tile, tiles are written beside the product.
template <typename T>
struct Margin {
  alignas(64) T product[MatmulKernels<T>::most_rows * 32];
  alignas(64) T bias[32];
};

template <typename T>
void finish(const Product<T>& p, const Block& block, int64_t row, int64_t rows) {
  p.finish.run({.begin = row * p.columns + block.first_column,
                .size = block.last_column - block.first_column,
                .rows = rows,
                .step = p.columns});
}

template <typename T>
class Blocks {
 public:
  Blocks(const Product<T>& product, const Block& block)
      : p_(product), block_(block), kernels_(*product.kernels) {}

  void run() {
    // One row is read where it stands, and panels the faster the longer.
    const int64_t most = p_.rows == 1 && p_.packed ? std::max<int64_t>(p_.depth, 1) : depth_block;
    for (int64_t k = 0; k == 0 || k < p_.depth; k += most) {
      const int64_t depth = std::min(most, p_.depth - k);
      for (int64_t i = block_.first_row; i < block_.last_row; i += kernels_.height) {
        const int64_t rows = std::min<int64_t>(kernels_.height, block_.last_row - i);
        pack_left(i, rows, k, depth);
        int64_t j = rows == 1 ? run_row(i, k, depth) : block_.first_column;
        for (; j < block_.last_column; j += kernels_.width) run_tile(i, rows, j, k, depth);
        if (k + depth == p_.depth) finish(p_, block_, i, rows);
      }
    }
  }

 private:
  void pack_left(int64_t i, int64_t rows, int64_t k, int64_t depth) {
    const Matrix<T>& left = p_.left;
    const T* from = depth > 0 ? left.data + i * left.row_step + k * left.column_step : nullptr;
    if (rows == 1) {
      rows_ = from;
      rows_step_ = left.column_step;
      return;
    }
    const int64_t height = kernels_.height;
    rows_ = left_;
    rows_step_ = height;
    if (left.row_step == 1) {
      for (int64_t at = 0; at < depth; ++at) {
        std::copy_n(from + at * left.column_step, rows, left_ + at * height);
      }
      return;
    }
    if (left.column_step == 1) {
      return kernels_.interleave({from, left.row_step, rows, depth, left_, height});
    }
    for (int64_t row = 0; row < rows; ++row) {
      const T* next = from + row * left.row_step;
      for (int64_t at = 0; at < depth; ++at) {
        left_[at * height + row] = next[at * left.column_step];
      }
    }
  }

  // As far as whole tiles go: the first column that is left.
  int64_t run_row(int64_t i, int64_t k, int64_t depth) {
    const int64_t width = kernels_.width;
    const int64_t b_distance = p_.packed ? p_.depth * width : width;
    int64_t j = block_.first_column;
    if (!kernels_.row[1]) return j;
    while (j + width <= block_.last_column) {
      const auto tiles = std::min<int64_t>((block_.last_column - j) / width, kernels_.most_tiles);
      kernels_.row[static_cast<size_t>(tiles)](tile_at(i, j, k, depth), b_distance);
      j += tiles * width;
    }
    return j;
  }

  Tile<T> tile_at(int64_t i, int64_t j, int64_t k, int64_t depth) const {
    const bool packed = p_.packed != nullptr;
    const T* right = nullptr;  // of a product of no depth
    if (packed) {
      right = p_.packed + (j * p_.depth + k * kernels_.width) / kernels_.packing;
    } else if (depth > 0) {
      right = p_.right.data + k * p_.right.row_step + j;
    }
    return {.a = rows_,
            .a_step = rows_step_,
            .b = right,
            .b_step = packed ? kernels_.width : p_.right.row_step,
            .c = p_.product + i * p_.columns + j,
            .c_step = p_.columns,
            .depth = depth,
            .add = k > 0,
            .bias = p_.bias && k + depth == p_.depth ? p_.bias + j : nullptr};
  }

  void run_tile(int64_t i, int64_t rows, int64_t j, int64_t k, int64_t depth) {
    const int64_t width = kernels_.width, columns = std::min(width, p_.columns - j);
    const Tile<T> tile = tile_at(i, j, k, depth);
    if (columns == width) return kernels_.tile[rows](tile);
    run_beside(tile, rows, columns, k, depth, j);
  }

  void run_beside(Tile<T> tile, int64_t rows, int64_t columns, int64_t k, int64_t depth,
                  int64_t j) {
    const int64_t width = kernels_.width;
    T* product = tile.c;
    margin_ = {};
    for (int64_t row = 0; row < rows && tile.add; ++row) {
      std::copy_n(product + row * p_.columns, columns, margin_.product + row * width);
    }
    if (tile.bias) {
      std::copy_n(tile.bias, columns, margin_.bias);
      tile.bias = margin_.bias;
    }
    if (!p_.packed) {
      if (packed_depth_ != k) pack_margin(j, k, depth);
      tile.b = right_;
      tile.b_step = width;
    }
    tile.c = margin_.product;
    tile.c_step = width;
    kernels_.tile[rows](tile);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(margin_.product + row * width, columns, product + row * p_.columns);
    }
  }

  void pack_margin(int64_t j, int64_t k, int64_t depth) {
    Product<T> margin = p_;
    if (depth > 0) margin.right.data += k * p_.right.row_step + j * p_.right.column_step;
    margin.depth = depth;
    margin.columns = p_.columns - j;
    pack_right(margin, 0, 1, right_);
    packed_depth_ = k;
  }

  const Product<T>& p_;
  const Block block_;
  const MatmulKernels<T>& kernels_;
  int64_t packed_depth_ = -1;  // the k that right_ begins with
  const T* rows_ = nullptr;    // of the left side, as tiles want them
  int64_t rows_step_ = 0;
  Margin<T> margin_;
  alignas(64) T left_[depth_block * MatmulKernels<T>::most_rows];
  alignas(64) T right_[depth_block * 32];
};

template <typename T>
void run_dots(const Product<T>& p, const Block& block) {
  const int64_t first = block.first_column;
  for (int64_t i = block.first_row; i < block.last_row; ++i) {
    p.kernels->dots({.x = p.left.data + i * p.left.row_step,
                     .rows = p.right.data + first * p.right.column_step,
                     .row_step = p.right.column_step,
                     .count = block.last_column - first,
                     .depth = p.depth,
                     .bias = p.bias ? p.bias + first : nullptr,
                     .out = p.product + i * p.columns + first});
    finish(p, block, i, 1);
  }
}

}  // namespace

void MatmulPlan::choose(bool left_rows_lie, bool rows_lie, bool columns_lie) {
  dots_ = left_rows_lie && columns_lie && !rows_lie && rows_ <= few_rows;
  packs_ = !dots_ && !(rows_lie && rows_ <= 2 * height_);
}

// Whole tiles of rows where there are enough of them, for then each task packs rows of its own; any
// rows where there are too few columns to part.
int64_t MatmulPlan::row_parts(int threads) const {
  const int64_t tiles = up(rows_, height_);
  if (tiles < threads || work() < threads * worth_a_thread) return 1;
  return tiles % threads == 0 || panels() < threads ? threads : 1;
}

int64_t MatmulPlan::column_parts(int threads) const {
  if (row_parts(threads) > 1) return 1;
  return std::clamp<int64_t>(std::min<int64_t>(work() / worth_a_thread, panels()), 1, threads);
}

int64_t MatmulPlan::work() const {
  return std::max(rows_, rows_of_reading) * panels() * width_ * std::max<int64_t>(depth_, 1);
}

int MatmulPlan::tasks(int threads) const {
  return static_cast<int>(row_parts(threads) * column_parts(threads));
}

Block MatmulPlan::block(int task, int threads) const {
  const auto part = [](int64_t count, int64_t unit, int64_t parts, int64_t which) {
    return std::min(count, up(count, unit) * which / parts * unit);
  };
  const int64_t down = row_parts(threads), across = column_parts(threads);
  const int64_t row = task / across, column = task % across;
  const int64_t rows = up(rows_, height_) % down == 0 ? height_ : 1;
  return {part(rows_, rows, down, row), part(rows_, rows, down, row + 1),
          part(columns_, width_, across, column), part(columns_, width_, across, column + 1)};
}

template <typename T>
void pack_right(const Product<T>& product, int64_t first, int64_t last, T* packed) {
  const Matrix<T>& right = product.right;
  const int64_t width = product.kernels->width;
  if (product.depth == 0) return;
  for (int64_t panel = first; panel < last; ++panel) {
    T* to = packed + panel * width * product.depth;
    const T* from = right.data + panel * width * right.column_step;
    const int64_t count = std::min(width, product.columns - panel * width);
    if (right.row_step == 1) {
      product.kernels->interleave({from, right.column_step, count, product.depth, to, width});
    }
    for (int64_t k = 0; k < product.depth; ++k, to += width) {
      const T* next = from + k * right.row_step;
      if (right.column_step == 1) {
        std::copy_n(next, count, to);
      } else if (right.row_step != 1) {
        for (int64_t j = 0; j < count; ++j) to[j] = next[j * right.column_step];
      }
      if (count < width) std::fill(to + count, to + width, T{});
    }
  }
}

template <typename T>
void multiply(const Product<T>& product, const MatmulPlan& plan, const Block& block) {
  if (block.first_row == block.last_row || block.first_column == block.last_column) return;
  if (plan.dots() && !product.packed) return run_dots(product, block);
  Blocks<T>(product, block).run();
}

template void pack_right(const Product<float>&, int64_t, int64_t, float*);
template void pack_right(const Product<double>&, int64_t, int64_t, double*);
template void multiply(const Product<float>&, const MatmulPlan&, const Block&);
template void multiply(const Product<double>&, const MatmulPlan&, const Block&);

}  // namespace mithril::cpu_backend
