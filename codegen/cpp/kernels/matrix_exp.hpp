// Exponentials of matrices.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/matrix_exponential.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void matrix_exp(Tensor<T, rank> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    write_elements(output, i, exponential(matrix_at(input, i)).elements);
  }
}

}  // namespace mithril::snippets
