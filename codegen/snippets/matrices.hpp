// Matrices of doubles, one after another.
#pragma once
#include <vector>

#include "codegen/snippets/tensor.hpp"

namespace mithril::snippets {

// Row after row.
struct Matrix {
  int64_t rows, columns;
  std::vector<double> elements;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  double& operator()(int64_t row, int64_t column) {
    return elements[static_cast<size_t>(row * columns + column)];
  }
  double operator()(int64_t row, int64_t column) const {
    return elements[static_cast<size_t>(row * columns + column)];
  }
};

template <typename X, size_t rank>
int64_t matrix_count(Tensor<X, rank> tensor) {
  int64_t count = 1;
  for (size_t axis = 0; axis + 2 < rank; ++axis) count *= tensor.dims[axis];
  return count;
}

template <typename X, size_t rank>
Matrix matrix_at(Tensor<X, rank> tensor, int64_t index) {
  Matrix matrix(tensor.dims[rank - 2], tensor.dims[rank - 1]);
  const int64_t size = matrix.rows * matrix.columns;
  for (int64_t i = 0; i < size; ++i) {
    matrix.elements[static_cast<size_t>(i)] = static_cast<double>(tensor[index * size + i]);
  }
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

// Number `index` of those that `output` holds.
template <typename T, size_t rank>
void write_elements(Tensor<T, rank> output, int64_t index, const std::vector<double>& elements) {
  const auto count = static_cast<int64_t>(elements.size());
  for (int64_t i = 0; i < count; ++i) {
    output[index * count + i] = static_cast<T>(elements[static_cast<size_t>(i)]);
  }
}

}  // namespace mithril::snippets
