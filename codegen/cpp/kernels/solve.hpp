// Solves systems of equations.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/factors.hpp"

namespace mithril::snippets {

template <typename T, typename M, typename R, size_t rank>
void solve(Tensor<T, rank> output, Tensor<M, rank> matrix, Tensor<R, rank> right) {
  for (int64_t i = 0; i < matrix_count(matrix); ++i) {
    const Factors factors = factors_of(matrix_at(matrix, i));
    if (factors.is_singular) fail("solve: the matrix is singular");
    write_elements(output, i, solved(factors, matrix_at(right, i)).elements);
  }
}

}  // namespace mithril::snippets
