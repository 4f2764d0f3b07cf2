// Matrix products of any size, made of tiles that fit registers and blocks that fit caches.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The element (i, j) stands at data[i * row_step + j * column_step].
template <typename T>
struct Matrix {
  const T* data = nullptr;
  int64_t row_step = 0, column_step = 1;
};

// product = left * right + bias, the bias added last; the product being row-major and dense.
template <typename T>
struct Gemm {
  const GemmKernels<T>* kernels = nullptr;
  int64_t rows = 0, columns = 0, depth = 0;
  Matrix<T> left, right;
  const T* packed = nullptr;  // `right`, as pack_b leaves it; null where it is not packed
  const T* bias = nullptr;    // for each column; null: 0
  T* product = nullptr;
  Epilogue epilogue = Epilogue();  // of what is made
};

// Rows and columns of a product: from the first, below the last.
struct Block {
  int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
};

// How one product is done: it follows from its sizes alone, so that its sums never depend on the
// number of threads.
class GemmPlan {
 public:
  // Of tiles of `mr` x `nr`; of the product its sizes and the steps of its sides are read.
  template <typename T>
  explicit GemmPlan(const Gemm<T>& product)
      : rows_(product.rows),
        columns_(product.columns),
        depth_(product.depth),
        mr_(product.kernels->mr),
        nr_(product.kernels->nr),
        rows_worth_reading_(product.kernels->rows_worth_reading) {
    choose(product.left.column_step == 1, product.right.column_step == 1,
           product.right.row_step == 1);
  }

  bool packs() const { return packs_; }  // unless `right` is packed before
  bool dots() const { return dots_; }    // unless `right` is packed before
  // Elements of a packed right side.
  int64_t packed_count() const { return panels() * nr_ * depth_; }
  int64_t panels() const { return (columns_ + nr_ - 1) / nr_; }
  // Into blocks for at most so many threads: each row and column is in one.
  int tasks(int threads) const;
  Block block(int task, int threads) const;

 private:
  // Whether the rows of the left side, and the rows and columns of the right one, have their
  // elements side by side.
  void choose(bool left_rows_lie, bool rows_lie, bool columns_lie);
  int64_t work() const;
  int64_t row_parts(int threads) const;
  int64_t column_parts(int threads) const;

  int64_t rows_, columns_, depth_;
  int mr_, nr_, rows_worth_reading_;
  bool packs_ = false, dots_ = false;
};

// The panels [first, last) of the product's right side, each of so many columns as a tile is wide:
// for each of them and each k the elements side by side, 0 beyond the last column.
template <typename T>
void pack_b(const Gemm<T>& product, int64_t first, int64_t last, T* packed);

// The block of the product.
template <typename T>
void multiply(const Gemm<T>& product, const GemmPlan& plan, const Block& block);

}  // namespace mithril::cpu_backend
