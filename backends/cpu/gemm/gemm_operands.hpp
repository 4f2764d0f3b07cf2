// The operands of a GEMM: shapes, steps and batches.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// An operand: a tensor, or its transpose (last two axes).
struct Side {
  ValueId id;
  bool transposed = false;
};

// A pair of matrices of a batch: offsets, in elements, of the matrices in A and B.
struct Meeting {
  int64_t left, right;
};

struct GemmShape {
  int64_t rows, columns, depth;
  int64_t a_row_step, a_column_step, b_row_step, b_column_step;
  std::vector<Meeting> meetings;
  std::optional<DType> stored = {};  // the dtype of the packed B if it is 16-bit weights
};

GemmShape gemm_shape(const ShapedGraph& shaped, Side left, Side right, ValueId product);

// Whether B is packed at compile time: it is a constant, the batch is one pair of matrices, and B
// is not empty.
bool is_packed(const LoweringContext& context, const GemmShape& form, Side right);

}  // namespace mithril::cpu_backend
