// Singular values and vectors.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/singular_values.hpp"

namespace mithril::snippets {

template <typename T, size_t values, typename X, size_t rank>
void svd(Tensor<T, rank> left, Tensor<T, values> singular, Tensor<T, rank> right,
         Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    const SingularValues found = singular_values_of(matrix_at(input, i));
    write_elements(left, i, found.left.elements);
    write_elements(singular, i, found.values);
    write_elements(right, i, found.right.elements);
  }
}

}  // namespace mithril::snippets
