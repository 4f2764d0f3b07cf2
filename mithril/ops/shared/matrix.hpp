// Matrices of doubles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mithril {

// Row-major.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> elements = {};

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  double& operator()(int64_t row, int64_t column) {
    return elements[static_cast<size_t>(row * columns + column)];
  }
  double operator()(int64_t row, int64_t column) const {
    return elements[static_cast<size_t>(row * columns + column)];
  }
};

// The mean of a square matrix and its transpose.
inline Matrix symmetric_part(const Matrix& matrix) {
  Matrix part(matrix.rows, matrix.columns);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) part(i, j) = (matrix(i, j) + matrix(j, i)) / 2;
  }
  return part;
}

}  // namespace mithril
