// Eigenvalues of symmetric matrices, in ascending order.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/eigen.hpp"

namespace mithril::snippets {

template <typename T, size_t values, typename X, size_t rank>
void eigenvalues(Tensor<T, values> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    write_elements(output, i, eigen_of_symmetric(symmetric_part(matrix_at(input, i))).values);
  }
}

}  // namespace mithril::snippets
