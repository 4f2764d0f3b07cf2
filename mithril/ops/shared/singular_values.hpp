// Singular values and vectors, by Jacobi's rotations of columns.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "mithril/ops/shared/column_sign.hpp"
#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

// left * values * right is the matrix. The values fall. Columns of `left` and rows of `right` are
// orthogonal and have length 1; the first large element of each column of `left` is positive.
struct SingularValues {
  Matrix left;
  std::vector<double> values;
  Matrix right;
};

inline Matrix transposed_matrix(const Matrix& matrix) {
  Matrix turned(matrix.columns, matrix.rows);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) turned(j, i) = matrix(i, j);
  }
  return turned;
}

inline double column_product(const Matrix& matrix, int64_t p, int64_t q) {
  double sum = 0;
  for (int64_t i = 0; i < matrix.rows; ++i) sum += matrix(i, p) * matrix(i, q);
  return sum;
}

inline double column_length(const Matrix& matrix, int64_t column) {
  double length = 0;
  for (int64_t i = 0; i < matrix.rows; ++i) length = std::hypot(length, matrix(i, column));
  return length;
}

// Makes columns p and q orthogonal; `turned` rotates with them (Golub and Van Loan, Matrix
// Computations, 8.6). False: they are orthogonal.
inline bool rotate_columns(Matrix& matrix, Matrix& turned, int64_t p, int64_t q) {
  const double first = column_product(matrix, p, p), second = column_product(matrix, q, q),
               both = column_product(matrix, p, q);
  const double rounding =
      std::sqrt(static_cast<double>(matrix.rows)) * std::numeric_limits<double>::epsilon();
  if (!(std::abs(both) > rounding * std::sqrt(first) * std::sqrt(second))) return false;
  const double zeta = (second - first) / (2 * both);
  const double tangent = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  for (Matrix* each : {&matrix, &turned}) {
    for (int64_t i = 0; i < each->rows; ++i) {
      const double a = (*each)(i, p), b = (*each)(i, q);
      (*each)(i, p) = cosine * a - sine * b;
      (*each)(i, q) = sine * a + cosine * b;
    }
  }
  return true;
}

// A vector of length 1 that is orthogonal to the first columns: what they leave of the unit vector
// of which they leave most.
inline void complete_column(Matrix& columns, int64_t column) {
  Matrix best(columns.rows, 1);
  double longest = -1;
  for (int64_t unit = 0; unit < columns.rows; ++unit) {
    Matrix rest(columns.rows, 1);
    rest(unit, 0) = 1;
    for (int time = 0; time < 2; ++time) {  // the second time removes the rounding of the first
      for (int64_t k = 0; k < column; ++k) {
        double product = 0;
        for (int64_t i = 0; i < rest.rows; ++i) product += columns(i, k) * rest(i, 0);
        for (int64_t i = 0; i < rest.rows; ++i) rest(i, 0) -= product * columns(i, k);
      }
    }
    const double length = column_length(rest, 0);
    if (!(length > longest)) continue;
    longest = length;
    best = std::move(rest);
  }
  for (int64_t i = 0; i < columns.rows; ++i) columns(i, column) = best(i, 0) / longest;
}

// The singular values of a matrix with no more columns than rows.
inline SingularValues singular_values_of_tall(Matrix matrix) {
  constexpr int most_sweeps = 60;  // convergence is quadratic: ten sweeps are many
  const int64_t n = matrix.columns;
  double largest = 0;  // dividing by it keeps squares of elements in range
  for (const double element : matrix.elements) largest = std::max(largest, std::abs(element));
  if (largest > 0) {
    for (double& element : matrix.elements) element /= largest;
  }
  Matrix turned(n, n);
  for (int64_t i = 0; i < n; ++i) turned(i, i) = 1;
  bool rotated = true;
  for (int sweep = 0; sweep < most_sweeps && rotated; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) rotated |= rotate_columns(matrix, turned, p, q);
    }
  }
  std::vector<double> lengths;
  for (int64_t column = 0; column < n; ++column) lengths.push_back(column_length(matrix, column));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
  });
  SingularValues result{Matrix(matrix.rows, n), {}, Matrix(n, n)};
  for (int64_t column = 0; column < n; ++column) {
    const int64_t from = order[static_cast<size_t>(column)];
    const double length = lengths[static_cast<size_t>(from)];
    result.values.push_back(length * largest);
    for (int64_t i = 0; i < n; ++i) result.right(column, i) = turned(i, from);
    for (int64_t i = 0; i < matrix.rows; ++i) result.left(i, column) = matrix(i, from) / length;
    if (length == 0) complete_column(result.left, column);
  }
  return result;
}

inline SingularValues singular_values_of(const Matrix& matrix) {
  const bool wide = matrix.columns > matrix.rows;
  SingularValues found = singular_values_of_tall(wide ? transposed_matrix(matrix) : matrix);
  if (wide) {
    const Matrix left = transposed_matrix(found.right);
    found.right = transposed_matrix(found.left);
    found.left = left;
  }
  for (int64_t k = 0; k < found.left.columns; ++k) {
    if (!(first_large(found.left, k) < 0)) continue;
    for (int64_t i = 0; i < found.left.rows; ++i) found.left(i, k) = -found.left(i, k);
    for (int64_t j = 0; j < found.right.columns; ++j) found.right(k, j) = -found.right(k, j);
  }
  return found;
}

// The pseudoinverse: singular values up to `threshold(largest)` count as 0.
template <typename Threshold>
Matrix pseudoinverse(const Matrix& matrix, Threshold threshold) {
  const SingularValues found = singular_values_of(matrix);
  const double least = threshold(found.values.empty() ? 0.0 : found.values.front());
  Matrix inverse(matrix.columns, matrix.rows);
  for (size_t k = 0; k < found.values.size(); ++k) {
    if (found.values[k] <= least) continue;
    const auto at = static_cast<int64_t>(k);
    for (int64_t i = 0; i < inverse.rows; ++i) {
      const double scaled = found.right(at, i) / found.values[k];
      for (int64_t j = 0; j < inverse.columns; ++j) inverse(i, j) += scaled * found.left(j, at);
    }
  }
  return inverse;
}

}  // namespace mithril
