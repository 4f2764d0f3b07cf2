// Matrices of doubles.
#pragma once
#include <vector>

#include "codegen/cpp/kernels/tensor.hpp"
#include "mithril/ops/shared/matrix.hpp"

namespace mithril::snippets {

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

// Writes matrix number `index` of `output`.
template <typename T, size_t rank>
void write_elements(Tensor<T, rank> output, int64_t index, const std::vector<double>& elements) {
  const auto count = static_cast<int64_t>(elements.size());
  for (int64_t i = 0; i < count; ++i) {
    output[index * count + i] = static_cast<T>(elements[static_cast<size_t>(i)]);
  }
}

}  // namespace mithril::snippets
