// Products of float32 matrices of integers times scales.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/gemm/byte_weights.hpp"
#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/gemm/scaled_integers.hpp"
#include "backends/cpu/kernels/integer_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

// A product of an A of integers times a scale, as quantized values are, and a constant B of
// integers times one scale for all elements or one for each column. The sums of integers are exact;
// C is their product with the scales of A and B, rounded to float32. Multiplies bytes if B is a
// ByteWeights, otherwise pairs of int16.
class IntegerValuedGemm {
 public:
  // None if B is not a constant of such numbers, or a product of integers does not pay off.
  static std::optional<IntegerValuedGemm> of(const LoweringContext& context, const GemmShape& shape,
                                             GemmOperand b);

  double useful_threads() const { return GemmPlan(gemm_).useful_threads(); }
  int64_t scratch_bytes() const {
    return (words_of_a() + 2 * whole_lines(gemm_.n)) * int64_t{sizeof(int32_t)};
  }
  // Returns false if the elements of A are not integers times one scale, or are so large that int32
  // may not hold a sum. C is then unspecified.
  bool run(const float* a, float* c, Direction direction, const Epilogue& epilogue,
           int32_t* scratch) const;

 private:
  IntegerValuedGemm(const GemmShape& shape, const ScaledIntegers& right,
                    std::optional<ByteWeights> bytes, int threads);

  int64_t words_of_a() const { return whole_lines(gemm_.m * gemm_.k); }
  Work rows_of_a() const {
    return {.amount = gemm_.m * k_, .pieces = gemm_.m, .grain_size = 1 << 15};
  }
  Extent extent_of(const float* a) const;
  // The scales of the columns of C, which may be written to `to`; null if one is not a normal
  // number.
  const float* scales_of_c(float left, float* to) const;
  // Calls narrow(elements, integers) for each row of A and its place in `to`. Returns false if a
  // call does.
  template <typename Narrow>
  bool each_row(const float* a, int32_t* to, const Narrow& narrow) const;
  bool run_pairs(const float* a, float scale, const Gemm<int32_t>& gemm, int32_t* pairs) const;
  bool run_bytes(const float* a, float scale, const Extent& extent, Gemm<int32_t> gemm,
                 int32_t* quads, int32_t* bias) const;

  int64_t k_;                  // in elements
  std::vector<float> scales_;  // of the columns of B
  bool are_integers_;          // all scales are 1; then A is integers, too
  float most_;                 // of the absolute values of the integers of A
  int threads_;
  std::optional<ByteWeights> bytes_;
  PackedWeights::Bytes pairs_;  // null if B is bytes_
  Gemm<int32_t> gemm_;          // the pointers are null, except those to the kernels and to B
  GemmTasks tasks_;
};

}  // namespace mithril::cpu_backend
