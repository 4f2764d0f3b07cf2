// Solves systems of equations with triangular matrices.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"

namespace mithril::snippets {

template <typename T, typename M, typename R, size_t rank>
void solve_triangular(Tensor<T, rank> output, Tensor<M, rank> matrix, Tensor<R, rank> right,
                      bool upper) {
  for (int64_t m = 0; m < matrix_count(matrix); ++m) {
    const Matrix triangle = matrix_at(matrix, m);
    Matrix solution = matrix_at(right, m);
    for (int64_t step = 0; step < triangle.rows; ++step) {
      const int64_t i = upper ? triangle.rows - 1 - step : step;
      const int64_t first = upper ? i + 1 : 0, past = upper ? triangle.rows : i;
      for (int64_t column = 0; column < solution.columns; ++column) {
        for (int64_t k = first; k < past; ++k) {
          solution(i, column) -= triangle(i, k) * solution(k, column);
        }
        solution(i, column) /= triangle(i, i);
      }
    }
    write_elements(output, m, solution.elements);
  }
}

}  // namespace mithril::snippets
