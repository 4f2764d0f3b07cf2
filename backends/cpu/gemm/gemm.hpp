// GEMMs of any size: micro-kernel tiles that fit in registers, blocks that fit in the caches.
#pragma once

#include <cstdint>

#include "backends/cpu/gemm/matrices.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

// A block of C: the rows [first_row, last_row) and the columns [first_column, last_column).
struct BlockOfC {
  int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
};

// The blocking of a GEMM. It depends only on the sizes, so that sums do not depend on the number of
// threads.
class GemmPlan {
 public:
  // For tiles of mr x nr of the kernels. Uses the sizes and the steps of the GEMM, not its
  // elements.
  template <typename T>
  explicit GemmPlan(const Gemm<T>& gemm)
      : m_(gemm.m),
        n_(gemm.n),
        k_(gemm.k),
        mr_(gemm.kernels->mr),
        nr_(gemm.kernels->nr),
        rows_worth_reading_(gemm.kernels->rows_worth_reading) {
    choose(gemm.a.column_step == 1, gemm.b.column_step == 1, gemm.b.row_step == 1);
  }

  bool packs() const { return packs_; }  // pack B first, unless it is packed already
  bool dots() const { return dots_; }    // run dot products, unless B is packed already
  bool packs_for_loop() const;           // pack a B that many multiplications share
  // Elements of the packed B.
  int64_t packed_count() const { return panels() * nr_ * k_; }
  // Rows of C, in whole tiles.
  int64_t tiles() const { return m_ / mr_; }
  int64_t panels() const { return (n_ + nr_ - 1) / nr_; }
  // The number of threads that pays off.
  double useful_threads() const { return static_cast<double>(work()) / multiplications_grain_size; }
  // The number of tasks for at most `threads` threads. Each element of C is in the block of one
  // task.
  int tasks(int threads) const;
  BlockOfC block(int task, int threads) const;

 private:
  // The arguments say whether the elements of these are contiguous.
  void choose(bool rows_of_a, bool rows_of_b, bool columns_of_b);
  int64_t work() const;
  int64_t row_parts(int threads) const;
  int64_t column_parts(int threads) const;

  int64_t m_, n_, k_;
  int mr_, nr_, rows_worth_reading_;
  bool packs_ = false, dots_ = false;
};

// Computes the block of C, and runs the epilogue on it.
template <typename T>
void multiply(const Gemm<T>& gemm, const GemmPlan& plan, const BlockOfC& block);

}  // namespace mithril::cpu_backend
