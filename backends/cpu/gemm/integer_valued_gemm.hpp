// Products of float32 matrices of integers times scales.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/gemm/scaled_integers.hpp"
#include "backends/cpu/runtime/int16_operand.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

// A product of an A of integers times a scale, as quantized values are, and a constant B of
// integers times one scale for all elements or one for each column. Multiplies pairs of int16 with
// int32 sums. The sums are exact; C is their product with the scales of A and B, rounded to
// float32. A B of int8 is stored in this dtype.
class IntegerValuedGemm {
 public:
  // None if B is not a constant of such numbers, or a product of pairs does not pay off.
  static std::optional<IntegerValuedGemm> of(const LoweringContext& context, const GemmShape& shape,
                                             GemmOperand b);

  int64_t scratch_bytes() const {
    return (a_.scratch_count() + whole_lines(gemm_.n)) * int64_t{sizeof(int32_t)};
  }
  // Returns false, and computes nothing, if the elements of A are not integers times one scale, or
  // are so large that int32 may not hold a sum.
  bool run(const float* a, float* c, const Epilogue& epilogue, int32_t* scratch) const;

 private:
  IntegerValuedGemm(const GemmShape& shape, const ScaledIntegers& right, int threads);

  Work rows_of_a() const {
    return {.amount = a_.count(), .pieces = a_.lines, .grain_size = 1 << 15};
  }
  // 1, or the least absolute value of A that is not 0 if that is not an integer.
  float scale_of(const float* a) const;
  // The scales of the columns of C, which may be written to `to`; null if one is not a normal
  // number.
  const float* scales_of_c(float left, float* to) const;
  // Writes the pairs of A. Returns false if `run` does.
  bool narrow(const float* a, float scale, int32_t* pairs) const;

  Int16Operand a_;
  std::vector<float> scales_;  // of the columns of B
  bool are_integers_;          // all scales are 1; then A is integers, too
  float most_;                 // of the absolute values of the integers of A
  int threads_;
  Gemm<int32_t> gemm_;  // the other pointers are null
  GemmTasks tasks_;
  PackedWeights::Bytes packed_;
};

}  // namespace mithril::cpu_backend
