// Eigenvalues and eigenvectors of symmetric matrices, by Jacobi's rotations.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mithril/ops/shared/column_sign.hpp"
#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

struct Eigen {
  std::vector<double> values;  // in ascending order
  Matrix vectors;              // in columns, of length 1; the first large element is positive
};

// Rotates rows and columns p and q so that matrix(p, q) becomes 0 (Golub and Van Loan, Matrix
// Computations, 8.5).
inline void rotate(Matrix& matrix, Matrix& vectors, int64_t p, int64_t q) {
  if (matrix(p, q) == 0) return;
  const double tau = (matrix(q, q) - matrix(p, p)) / (2 * matrix(p, q));
  const double tangent = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  const auto turn = [&](double& a, double& b) {
    const double before = a;
    a = cosine * before - sine * b;
    b = sine * before + cosine * b;
  };
  for (int64_t k = 0; k < matrix.rows; ++k) turn(matrix(k, p), matrix(k, q));
  for (int64_t k = 0; k < matrix.rows; ++k) turn(matrix(p, k), matrix(q, k));
  matrix(p, q) = matrix(q, p) = 0;
  for (int64_t k = 0; k < matrix.rows; ++k) turn(vectors(k, p), vectors(k, q));
}

inline double size_off_diagonal(const Matrix& matrix) {
  double squares = 0;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < i; ++j) squares += matrix(i, j) * matrix(i, j);
  }
  return squares;
}

inline Eigen eigen_of_symmetric(Matrix matrix) {
  constexpr int most_sweeps = 60;  // convergence is quadratic: ten sweeps are many
  const int64_t n = matrix.rows;
  Matrix turned(n, n);
  for (int64_t i = 0; i < n; ++i) turned(i, i) = 1;
  for (int sweep = 0; sweep < most_sweeps && size_off_diagonal(matrix) > 0; ++sweep) {
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) rotate(matrix, turned, p, q);
    }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return matrix(a, a) < matrix(b, b); });
  Eigen result{{}, Matrix(n, n)};
  for (int64_t column = 0; column < n; ++column) {
    const int64_t from = order[static_cast<size_t>(column)];
    result.values.push_back(matrix(from, from));
    const double sign = first_large(turned, from) < 0 ? -1 : 1;
    for (int64_t row = 0; row < n; ++row) result.vectors(row, column) = sign * turned(row, from);
  }
  return result;
}

}  // namespace mithril
