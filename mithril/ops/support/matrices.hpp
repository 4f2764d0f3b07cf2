// Square matrices in eval, one after another: [..., N, N].
#pragma once
#include <cstdint>
#include <vector>

#include "mithril/op/eval_context.hpp"

namespace mithril {

// Of rows and columns; row after row.
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

inline int64_t matrix_count(const Dims& dims) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < dims.size(); ++i) count *= dims[i];
  return count;
}

inline Matrix matrix_at(const Elements<double>& elements, const Dims& dims, int64_t index) {
  Matrix matrix(dims[dims.size() - 2], dims.back());
  const int64_t start = index * matrix.rows * matrix.columns;
  for (size_t i = 0; i < matrix.elements.size(); ++i)
    matrix.elements[i] = elements[start + static_cast<int64_t>(i)];
  return matrix;
}

// The mean of a square matrix and its transpose.
inline Matrix symmetric_part(const Matrix& matrix) {
  Matrix part(matrix.rows, matrix.columns);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) part(i, j) = (matrix(i, j) + matrix(j, i)) / 2;
  }
  return part;
}

// Calls make(matrix) for each matrix at "input" and writes what it returns, elements row after row.
template <typename Make>
void each_matrix(EvalContext& c, Make make) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      for (const double element : make(matrix_at(x, dims, i))) *y++ = static_cast<T>(element);
    }
  });
}

}  // namespace mithril
