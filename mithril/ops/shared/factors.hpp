// Triangular factors of square matrices.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

// L below the diagonal, whose own is 1, and U: row i of L U is row rows[i] of the matrix.
struct Factors {
  Matrix both;
  std::vector<int64_t> rows;
  double sign = 1;  // of the permutation
  bool is_singular = false;
};

// Gaussian elimination with the largest pivot of each column (Golub and Van Loan, Matrix
// Computations, 3.4).
inline Factors factors_of(Matrix matrix) {
  const int64_t size = matrix.rows;
  std::vector<int64_t> rows(static_cast<size_t>(size));
  std::iota(rows.begin(), rows.end(), 0);
  Factors factors{std::move(matrix), std::move(rows)};
  Matrix& both = factors.both;
  for (int64_t k = 0; k < size; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < size; ++i) {
      if (std::abs(both(i, k)) > std::abs(both(pivot, k))) pivot = i;
    }
    if (both(pivot, k) == 0) {
      factors.is_singular = true;
      continue;
    }
    if (pivot != k) {
      for (int64_t j = 0; j < size; ++j) std::swap(both(k, j), both(pivot, j));
      std::swap(factors.rows[static_cast<size_t>(k)], factors.rows[static_cast<size_t>(pivot)]);
      factors.sign = -factors.sign;
    }
    for (int64_t i = k + 1; i < size; ++i) {
      both(i, k) /= both(k, k);
      for (int64_t j = k + 1; j < size; ++j) both(i, j) -= both(i, k) * both(k, j);
    }
  }
  return factors;
}

inline double determinant(const Factors& factors) {
  double product = factors.sign;
  for (int64_t i = 0; i < factors.both.rows; ++i) product *= factors.both(i, i);
  return product;
}

struct LogDeterminant {
  double sign, logarithm;  // of the absolute value; 0 and -infinity if the matrix is singular
};

inline LogDeterminant log_determinant(const Factors& factors) {
  LogDeterminant result{factors.sign, 0};
  for (int64_t i = 0; i < factors.both.rows; ++i) {
    const double pivot = factors.both(i, i);
    if (pivot == 0) result.sign = 0;
    if (pivot < 0) result.sign = -result.sign;
    result.logarithm += std::log(std::abs(pivot));
  }
  result.sign += 0;  // 0 in place of -0
  return result;
}

// X with matrix X = right.
inline Matrix solved(const Factors& factors, const Matrix& right) {
  const int64_t size = right.rows;
  Matrix x(size, right.columns);
  for (int64_t column = 0; column < right.columns; ++column) {
    for (int64_t i = 0; i < size; ++i) {
      double rest = right(factors.rows[static_cast<size_t>(i)], column);
      for (int64_t k = 0; k < i; ++k) rest -= factors.both(i, k) * x(k, column);
      x(i, column) = rest;
    }
    for (int64_t i = size - 1; i >= 0; --i) {
      for (int64_t k = i + 1; k < size; ++k) x(i, column) -= factors.both(i, k) * x(k, column);
      x(i, column) /= factors.both(i, i);
    }
  }
  return x;
}

}  // namespace mithril
