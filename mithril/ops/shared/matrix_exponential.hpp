// The exponential of square matrices.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

inline Matrix matrix_product(const Matrix& left, const Matrix& right) {
  Matrix product(left.rows, right.columns);
  for (int64_t i = 0; i < left.rows; ++i) {
    for (int64_t k = 0; k < left.columns; ++k) {
      for (int64_t j = 0; j < right.columns; ++j) product(i, j) += left(i, k) * right(k, j);
    }
  }
  return product;
}

// The largest sum of absolute values of a row.
inline double row_norm(const Matrix& matrix) {
  double largest = 0;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < matrix.columns; ++j) sum += std::abs(matrix(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

// Halves the matrix until its norm is at most 1/2, sums Taylor's series, and squares the sum as
// often (Golub and Van Loan, Matrix Computations, 9.3).
inline Matrix exponential(Matrix matrix) {
  constexpr int terms = 18;  // the next one is below 2**-74
  int squarings = 0;
  for (double norm = row_norm(matrix); std::isfinite(norm) && norm > 0.5; norm /= 2) ++squarings;
  for (double& element : matrix.elements) element = std::ldexp(element, -squarings);
  Matrix sum(matrix.rows, matrix.rows), term(matrix.rows, matrix.rows);
  for (int64_t i = 0; i < matrix.rows; ++i) sum(i, i) = term(i, i) = 1;
  for (int k = 1; k <= terms; ++k) {
    term = matrix_product(term, matrix);
    for (size_t i = 0; i < term.elements.size(); ++i)
      sum.elements[i] += term.elements[i] /= static_cast<double>(k);
  }
  for (int k = 0; k < squarings; ++k) sum = matrix_product(sum, sum);
  return sum;
}

}  // namespace mithril
