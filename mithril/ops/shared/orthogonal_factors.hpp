// Orthogonal factors of matrices, by Householder's reflections.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

struct OrthogonalFactors {
  Matrix q, r;  // Q R is the matrix; columns of Q have length 1; the diagonal of R is not negative
};

// I - scale v vᵀ, which moves column k of a matrix to a multiple of unit vector k. v starts with a
// 1 at element k.
struct Reflection {
  int64_t k = 0;
  std::vector<double> v = {};
  double scale = 0;

  void apply(Matrix& matrix) const {
    for (int64_t j = 0; j < matrix.columns; ++j) {
      double product = 0;
      for (int64_t i = k; i < matrix.rows; ++i) product += v[static_cast<size_t>(i)] * matrix(i, j);
      for (int64_t i = k; i < matrix.rows; ++i)
        matrix(i, j) -= scale * v[static_cast<size_t>(i)] * product;
    }
  }
};

// Golub and Van Loan, Matrix Computations, 5.1.
inline Reflection reflection_of_column(const Matrix& matrix, int64_t k) {
  Reflection reflection{k, std::vector<double>(static_cast<size_t>(matrix.rows))};
  double rest = 0;
  for (int64_t i = k + 1; i < matrix.rows; ++i) rest = std::hypot(rest, matrix(i, k));
  reflection.v[static_cast<size_t>(k)] = 1;
  if (rest == 0) return reflection;
  const double first = matrix(k, k), target = -std::copysign(std::hypot(first, rest), first);
  reflection.scale = (target - first) / target;
  for (int64_t i = k + 1; i < matrix.rows; ++i)
    reflection.v[static_cast<size_t>(i)] = matrix(i, k) / (first - target);
  return reflection;
}

// `columns` of Q: the lesser size of the matrix, or the number of its rows.
inline OrthogonalFactors orthogonal_factors(Matrix matrix, int64_t columns) {
  const int64_t steps = std::min(matrix.rows, matrix.columns);
  std::vector<Reflection> reflections;
  for (int64_t k = 0; k < steps; ++k) {
    reflections.push_back(reflection_of_column(matrix, k));
    reflections.back().apply(matrix);
  }
  OrthogonalFactors factors{Matrix(matrix.rows, columns), Matrix(columns, matrix.columns)};
  for (int64_t i = 0; i < columns; ++i) {
    factors.q(i, i) = 1;
    for (int64_t j = i; j < matrix.columns; ++j) factors.r(i, j) = matrix(i, j);
  }
  for (int64_t k = steps; k-- > 0;) reflections[static_cast<size_t>(k)].apply(factors.q);
  for (int64_t k = 0; k < steps; ++k) {
    if (!(factors.r(k, k) < 0)) continue;
    for (int64_t i = 0; i < matrix.rows; ++i) factors.q(i, k) = -factors.q(i, k);
    for (int64_t j = k; j < matrix.columns; ++j) factors.r(k, j) = -factors.r(k, j);
  }
  return factors;
}

}  // namespace mithril
