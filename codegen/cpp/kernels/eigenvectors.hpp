// Eigenvectors of symmetric matrices, as columns in the order of their eigenvalues.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/eigen.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void eigenvectors(Tensor<T, rank> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    const Eigen eigen = eigen_of_symmetric(symmetric_part(matrix_at(input, i)));
    write_elements(output, i, eigen.vectors.elements);
  }
}

}  // namespace mithril::snippets
