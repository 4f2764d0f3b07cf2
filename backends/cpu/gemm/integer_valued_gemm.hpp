// Products of float32 matrices of integers.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/runtime/int16_operand.hpp"

namespace mithril::cpu_backend {

// The range of some integers and 0.
struct IntegerRange {
  float least = 0, largest = 0;

  bool is_of_bytes() const { return least >= INT8_MIN && largest <= INT8_MAX; }
};

// A product with a constant B of integers, as pairs of int16 with int32 sums. The sums are exact,
// and rounded once to float32. A B of int8 is stored in this dtype.
class IntegerValuedGemm {
 public:
  // None if B is not a constant of integers that int16 holds, or a product of pairs does not pay
  // off.
  static std::optional<IntegerValuedGemm> of(const LoweringContext& context, const GemmShape& shape,
                                             GemmOperand b);

  int64_t scratch_bytes() const { return a_.scratch_count() * int64_t{sizeof(int32_t)}; }
  // Returns false, and computes nothing, if an element of A is not an integer, or so large that
  // int32 may not hold a sum.
  bool run(const float* a, float* c, const Epilogue& epilogue, int32_t* scratch) const;

 private:
  IntegerValuedGemm(const GemmShape& shape, const IntegerRange& right, int threads);

  // Writes the pairs of A. Returns false if `run` does.
  bool narrow(const float* a, int32_t* pairs) const;

  Int16Operand a_;
  float most_;  // of the absolute values of A
  int threads_;
  Gemm<int32_t> gemm_;  // the other pointers are null
  GemmTasks tasks_;
  PackedWeights::Bytes packed_;
};

}  // namespace mithril::cpu_backend
