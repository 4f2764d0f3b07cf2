// Rows of attention: softmax(query @ key.T * scale + mask).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codegen/cpp/kernels/float_functions.hpp"
#include "codegen/cpp/kernels/matmul.hpp"
#include "codegen/cpp/kernels/partial_sums.hpp"

namespace mithril::snippets {

// output (rows x columns, with rows `pitch` elements apart) = left @ right.T
template <typename T, typename L, typename R>
void multiply_transposed(T* output, int64_t pitch, const L* left, const R* right, int64_t rows,
                         int64_t inner, int64_t columns) {
  if constexpr (has_tiles<T, L, R>) {
    gemm<T>(rows, columns, inner, {left, inner, 1}, {right, 1, inner}, {output, pitch, 1},
            NoBias());
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        output[i * pitch + j] = sum_of<T>(inner, [&](int64_t k) {
          return static_cast<T>(left[i * inner + k]) * static_cast<T>(right[j * inner + k]);
        });
      }
    }
  }
}

// The number of rows of weights in a block, which fits the caches.
inline constexpr int64_t attention_rows = 48;

template <typename Q, size_t query_rank, typename K, size_t key_rank, typename Mask, typename Scale>
struct Attention {
  Tensor<Q, query_rank> query;
  Tensor<K, key_rank> key;
  Mask mask;
  bool is_causal;
  Scale scale;

  int64_t rows() const { return query.dims[query_rank - 2]; }
  int64_t columns() const { return key.dims[key_rank - 2]; }
  int64_t width() const { return query.dims[query_rank - 1]; }

  // The number of columns to which the rows before this one attend.
  int64_t columns_before(int64_t row) const {
    return is_causal ? std::min(columns(), row) : columns();
  }

  // Writes the weights of rows `first` to `last` - 1 of matrix number `matrix`, of outputs of dims
  // `to`, as rows of `pitch` elements, at least columns_before(last). Fully masked rows become
  // zeros.
  template <typename T, size_t rank>
  void write_weights(T* weights, int64_t pitch, const Dims<rank>& to, int64_t matrix, int64_t first,
                     int64_t last) const {
    const int64_t q = broadcast_index(matrix, to, query.dims, 2) * rows() + first;
    const int64_t k = broadcast_index(matrix, to, key.dims, 2) * columns();
    multiply_transposed(weights, pitch, query.data + q * width(), key.data + k * width(),
                        last - first, width(), columns_before(last));
    for (int64_t row = first; row < last; ++row, weights += pitch) {
      const int64_t count = columns_before(row + 1);
      const T factor = scale_of<T>();
      for (int64_t j = 0; j < count; ++j) weights[j] *= factor;
      if (count > 0) add_mask(weights, to, matrix, row, count);
      normalise(weights, count);
      std::fill(weights + count, weights + pitch, T(0));
    }
  }

 private:
  template <typename T>
  T scale_of() const {
    if constexpr (is_given<Scale>) {
      return static_cast<T>(scale);
    } else {
      return static_cast<T>(1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, width()))));
    }
  }

  // A mask of bools is true where a query attends.
  template <typename T, size_t rank>
  void add_mask(T* row, const Dims<rank>& to, int64_t matrix, int64_t at, int64_t count) const {
    if constexpr (is_given<Mask>) {
      Dims<rank> scores = to;
      scores[rank - 2] = rows();
      scores[rank - 1] = columns();
      const int64_t place = (matrix * rows() + at) * columns();
      const int64_t step = mask.dims.empty() || mask.dims.back() == 1 ? 0 : 1;
      const auto* const elements = mask.data + broadcast_index(place, scores, mask.dims);
      for (int64_t j = 0; j < count; ++j) {
        if constexpr (std::is_same_v<decltype(elements), const bool* const>) {
          row[j] = elements[j * step] ? row[j] : -std::numeric_limits<T>::infinity();
        } else {
          row[j] += static_cast<T>(elements[j * step]);
        }
      }
    }
  }

  template <typename T>
  static void normalise(T* row, int64_t count) {
    const T top =
        largest_of(count, std::numeric_limits<T>::lowest(), [&](int64_t j) { return row[j]; });
    const T sum = sum_of<T>(count, [&](int64_t j) { return row[j] = exp_of(row[j] - top); });
    for (int64_t j = 0; j < count && sum != 0; ++j) row[j] /= sum;
  }
};

template <typename Q, size_t query_rank, typename K, size_t key_rank, typename Mask, typename Scale>
Attention<Q, query_rank, K, key_rank, Mask, Scale> attention(Tensor<Q, query_rank> query,
                                                             Tensor<K, key_rank> key, Mask mask,
                                                             bool is_causal, Scale scale) {
  return {query, key, mask, is_causal, scale};
}

}  // namespace mithril::snippets
