// Formulas of linear algebra in gradients, over [..., M, N], and what its ops share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "mithril/graph/grad_context.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

inline Expression transposed(const Expression& matrix) {
  return call("swapaxes", {matrix, -1, -2});
}

// A factor of each matrix, as its last two axes: [...] to [..., 1, 1].
inline Expression per_matrix(const Expression& factor) {
  return call("expand_dims", {call("expand_dims", {factor, -1}), -1});
}

inline Expression symmetric_part(const Expression& matrix) {
  return (matrix + transposed(matrix)) * 0.5;
}

// Ones on the diagonal of [..., M, N] and zeros elsewhere.
inline Expression diagonal_ones_like(const Expression& matrix) {
  const Expression ones = call("fill_like", {matrix, 1.0});
  return call("tril", {ones}) * transposed(call("tril", {transposed(ones)}));
}

inline Expression matmul(const Expression& left, const Expression& right) {
  return call("matmul", {left, right});
}

// K = min(M, N), dims of the patterns.
inline bool solve_lesser_size(Solver& s) {
  const Dim rows = resolve(s.dim("M")), columns = resolve(s.dim("N"));
  if (same(rows, columns)) {
    s.set("K", rows);
    return true;
  }
  int64_t m = 0, n = 0;
  const bool has_rows = s.number(rows, m), has_columns = s.number(columns, n);
  if (!has_rows || !has_columns) return false;
  s.set("K", Dim(std::min(m, n)));
  return true;
}

// The text of the symmetric part of the port "input" in spellings.
inline constexpr const char* spelled_symmetric_part =
    "aten::mul(aten::add(input, aten::transpose(input, -2, -1)), 0.5)";

// Torch decomposes no matrices of half precision.
inline std::string spell_unless_half(const std::string& spelling) {
  return "output.dtype_name == \"float16\" ? unsupported : output.dtype_name == \"bfloat16\" ? "
         "unsupported : " +
         spelling;
}

}  // namespace mithril
