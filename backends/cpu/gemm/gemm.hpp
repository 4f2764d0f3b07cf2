// GEMMs of any size: micro-kernel tiles that fit in registers, blocks that fit in the caches.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The element (i, j) is data[i * row_step + j * column_step]. Steps are in elements.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  int64_t row_step = 0, column_step = 1;
};

// C = A * B + bias: A (left) is [rows, depth], B (right) is [depth, columns], C (product) is [rows,
// columns]. The bias is added last. C is row-major and contiguous.
template <typename T>
struct Gemm {
  const GemmKernels<T>* kernels = nullptr;
  int64_t rows = 0, columns = 0, depth = 0;
  Matrix<T> left, right;
  const T* packed = nullptr;  // B, packed by pack_b; null: B is not packed
  const T* bias = nullptr;    // an element per column; null: no bias
  T* product = nullptr;
  Epilogue epilogue = Epilogue();  // runs on C
};

// A block of C: the rows [first_row, last_row) and the columns [first_column, last_column).
struct Block {
  int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
};

// The blocking of a GEMM. It depends only on the sizes, so that sums do not depend on the number of
// threads.
class GemmPlan {
 public:
  // For tiles of mr x nr of the kernels. Uses the sizes and the steps of the GEMM, not its
  // elements.
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

  bool packs() const { return packs_; }  // pack B first, unless it is packed already
  bool dots() const { return dots_; }    // run dot products, unless B is packed already
  // Elements of the packed B.
  int64_t packed_count() const { return panels() * nr_ * depth_; }
  int64_t panels() const { return (columns_ + nr_ - 1) / nr_; }
  // The number of tasks for at most `threads` threads. Each element of C is in the block of one
  // task.
  int tasks(int threads) const;
  Block block(int task, int threads) const;

 private:
  // Whether the elements of the rows of A, and of the rows and the columns of B, are contiguous.
  void choose(bool left_rows_lie, bool rows_lie, bool columns_lie);
  int64_t work() const;
  int64_t row_parts(int threads) const;
  int64_t column_parts(int threads) const;

  int64_t rows_, columns_, depth_;
  int mr_, nr_, rows_worth_reading_;
  bool packs_ = false, dots_ = false;
};

// Packs the panels [first, last) of B. A panel has nr columns: for each k, it holds nr contiguous
// elements, with 0 beyond the last column. `packed` is the beginning of panel 0.
template <typename T>
void pack_b(const Gemm<T>& product, int64_t first, int64_t last, T* packed);

// Computes the block of C, and runs the epilogue on it.
template <typename T>
void multiply(const Gemm<T>& product, const GemmPlan& plan, const Block& block);

}  // namespace mithril::cpu_backend
