// Cholesky decomposition.
#pragma once
#include <cmath>

#include "codegen/cpp/kernels/matrices.hpp"

namespace mithril::snippets {

// Row by row (Golub and Van Loan, Matrix Computations, 4.2).
inline Matrix root_of(const Matrix& matrix) {
  Matrix root(matrix.rows, matrix.columns);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double rest = matrix(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= root(i, k) * root(j, k);
      if (i == j && !(rest > 0)) fail("cholesky: the matrix is not positive definite");
      root(i, j) = i == j ? std::sqrt(rest) : rest / root(j, j);
    }
  }
  return root;
}

template <typename T, typename X, size_t rank>
void cholesky(Tensor<T, rank> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    write_elements(output, i, root_of(symmetric_part(matrix_at(input, i))).elements);
  }
}

}  // namespace mithril::snippets
