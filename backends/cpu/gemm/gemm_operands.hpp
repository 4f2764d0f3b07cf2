// What there is to multiply, and where it stands.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// A side of a product: a tensor, with its last two axes as they are or exchanged.
struct Side {
  ValueId id;
  bool transposed = false;
};

// Which matrices of the two sides meet, in elements from their beginnings.
struct Meeting {
  int64_t left, right;
};

struct GemmShape {
  int64_t rows, columns, depth;
  int64_t a_row_step, a_column_step, b_row_step, b_column_step;
  std::vector<Meeting> meetings;
  std::optional<DType> stored = {};  // in which a packed right side is held; nothing: as it is
};

GemmShape gemm_shape(const ShapedGraph& shaped, Side left, Side right, ValueId product);

// Whether the right side is a constant one matrix of which is packed beforehand.
bool is_packed(const LoweringContext& context, const GemmShape& form, Side right);

}  // namespace mithril::cpu_backend
