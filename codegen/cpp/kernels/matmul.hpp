// Products of matrices.
#pragma once
#include "codegen/cpp/kernels/gemm.hpp"
#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// output (rows x columns) = left (rows x inner) @ right (inner x columns)
template <typename T, typename L, typename R>
void multiply_matrices(T* output, const L* left, const R* right, int64_t rows, int64_t inner,
                       int64_t columns) {
  if constexpr (has_tiles<T, L, R>) {
    gemm<T>(rows, columns, inner, {left, inner, 1}, {right, columns, 1}, {output, columns, 1},
            NoBias());
  } else {
    for (int64_t row = 0; row < rows; ++row) {
      T* const to = output + row * columns;
      for (int64_t column = 0; column < columns; ++column) to[column] = 0;
      for (int64_t k = 0; k < inner; ++k) {
        const auto factor = static_cast<ProductTotal<T>>(left[row * inner + k]);
        for (int64_t column = 0; column < columns; ++column) {
          const auto with = static_cast<ProductTotal<T>>(right[k * columns + column]);
          to[column] = static_cast<T>(static_cast<ProductTotal<T>>(to[column]) + factor * with);
        }
      }
    }
  }
}

// Multiplies the last two axes, and broadcasts the leading ones.
template <typename T, size_t rank, typename L, size_t left_rank, typename R, size_t right_rank>
void matmul(Tensor<T, rank> output, Tensor<L, left_rank> left, Tensor<R, right_rank> right) {
  const int64_t rows = output.dims[rank - 2], columns = output.dims[rank - 1];
  const int64_t inner = left.dims[left_rank - 1];
  if (right_rank == 2 && columns > 0) {  // one matrix for all rows
    const int64_t all = output.size() / columns;
    return multiply_matrices(output.data, left.data, right.data, all, inner, columns);
  }
  const int64_t matrices = rows * columns == 0 ? 0 : output.size() / (rows * columns);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    const int64_t l = broadcast_index(matrix, output.dims, left.dims, 2);
    const int64_t r = broadcast_index(matrix, output.dims, right.dims, 2);
    multiply_matrices(output.data + matrix * rows * columns, left.data + l * rows * inner,
                      right.data + r * inner * columns, rows, inner, columns);
  }
}

}  // namespace mithril::snippets
