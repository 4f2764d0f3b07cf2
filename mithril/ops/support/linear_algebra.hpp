// Formulas of linear algebra in gradients, over [..., N, N].
#pragma once
#include <string>

#include "mithril/graph/grad_context.hpp"

namespace mithril {

inline Expression transposed(const Expression& matrix) {
  return call("swapaxes", {matrix, -1, -2});
}

inline Expression symmetric_part(const Expression& matrix) {
  return (matrix + transposed(matrix)) * 0.5;
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
