// The operands of a GEMM: shapes, steps and batches.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

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

}  // namespace mithril::cpu_backend
