// The operands of a GEMM: shapes, steps, batches, and their elements.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/runtime/vnni_operand.hpp"

namespace mithril::cpu_backend {

// An operand: a tensor, or its transpose (last two axes).
struct GemmOperand {
  ValueId id;
  bool transposed = false;
};

// The matrices of a batch: their offsets in the tensors A and B, in elements.
struct BatchOffsets {
  int64_t a, b;
};

struct GemmShape {
  int64_t m, n, k;
  int64_t a_row_step, a_column_step, b_row_step, b_column_step;
  std::vector<BatchOffsets> batches;
  std::optional<DType> stored = {};  // the dtype of the packed B if it is 16-bit weights
};

GemmShape gemm_shape(const ShapedGraph& shaped, GemmOperand a, GemmOperand b, ValueId c);

// Whether B is packed at compile time: it is a constant, the batch is one pair of matrices, and B
// is not empty.
bool is_packed(const LoweringContext& context, const GemmShape& shape, GemmOperand b);

// A GEMM of operands of dtype T.
template <typename T>
struct PlainGemm {
  using Input = T;
  using Output = T;

  GemmShape shape;

  // The GEMM without pointers to its operands.
  Gemm<T> gemm() const {
    return {.kernels = &kernels(),
            .m = shape.m,
            .n = shape.n,
            .k = shape.k,
            .a = {nullptr, shape.a_row_step, shape.a_column_step},
            .b = {nullptr, shape.b_row_step, shape.b_column_step}};
  }
  // Elements of scratch memory for A, if it is of type Input or of type Output, and for an unpacked
  // B.
  int64_t scratch_of_a(bool /*is_output*/ = false) const { return 0; }
  int64_t scratch_of_b() const { return 0; }
  // The operand of the GEMM. It may be in the scratch memory, whose start is then moved.
  const T* a(const T* from, T*& /*scratch*/, int /*threads*/) const { return from; }
  const T* b(const T* from, T*& /*scratch*/, int /*threads*/) const { return from; }

 private:
  const GemmKernels<T>& kernels() const {
    if constexpr (std::is_same_v<T, float>) {
      if (shape.stored) return half_weight_kernels(*shape.stored).gemm;
    }
    return gemm_kernels<T>();
  }
};

// A GEMM of bfloat16 operands, which are packed to VNNI pairs.
struct VnniGemm {
  using Input = uint16_t;
  using Output = float;

  GemmShape shape;
  VnniOperand pairs_of_a, pairs_of_b;

  explicit VnniGemm(GemmShape of)
      : shape(std::move(of)),
        pairs_of_a{shape.m, shape.k, shape.a_column_step == 1},
        pairs_of_b{shape.n, shape.k, shape.b_row_step == 1} {}

  Gemm<float> gemm() const {
    return {.kernels = &bfloat16_kernels()->gemm,
            .m = shape.m,
            .n = shape.n,
            .k = pairs_of_a.pairs(),
            .a = {nullptr, pairs_of_a.line_step(), pairs_of_a.pair_step()},
            .b = {nullptr, pairs_of_b.pair_step(), pairs_of_b.line_step()}};
  }
  int64_t scratch_of_a(bool is_output = false) const {
    return is_output ? rounded_count() : pairs_of_a.scratch_count();
  }
  int64_t scratch_of_b() const { return pairs_of_b.scratch_count(); }
  const float* a(const uint16_t* from, float*& scratch, int threads) const {
    return pairs_of_a.packed(from, scratch, threads);
  }
  // Rounds contiguous rows to bfloat16. The last element of a row of odd length is paired with 0.
  const float* a(const float* rows, float*& scratch, int /*threads*/) const {
    float* to = std::exchange(scratch, scratch + rounded_count());
    const HalfKernels& kernels = half_kernels(DType::bfloat16);
    for (int64_t row = 0; row < pairs_of_a.lines; ++row) {
      float* pairs = to + row * pairs_of_a.pairs();
      pairs[pairs_of_a.pairs() - 1] = 0;
      kernels.narrow(rows + row * shape.k, reinterpret_cast<uint16_t*>(pairs), shape.k);
    }
    return to;
  }
  const float* b(const uint16_t* from, float*& scratch, int threads) const {
    return pairs_of_b.packed(from, scratch, threads);
  }

 private:
  int64_t rounded_count() const { return whole_lines(pairs_of_a.lines * pairs_of_a.pairs()); }
};

}  // namespace mithril::cpu_backend
