// Rows of attention: softmax(query @ key.T * scale + mask).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codegen/snippets/numbers.hpp"
#include "codegen/snippets/walk.hpp"

namespace mithril::snippets {

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

  // Weight [row, column] of matrix number `matrix` before it is normalised, of outputs of dims
  // `to`.
  template <size_t rank>
  double score(const Dims<rank>& to, int64_t matrix, int64_t row, int64_t column) const {
    if (is_causal && column > row) return -std::numeric_limits<double>::infinity();
    const int64_t q = (broadcast_index(matrix, to, query.dims, 2) * rows() + row) * width();
    const int64_t k = (broadcast_index(matrix, to, key.dims, 2) * columns() + column) * width();
    double sum = 0;
    for (int64_t e = 0; e < width(); ++e) {
      sum += static_cast<double>(query[q + e]) * static_cast<double>(key[k + e]);
    }
    return sum * factor() + bias(to, matrix, row, column);
  }

  // Rows for which the mask leaves nothing become zeros.
  template <size_t rank, typename Row>
  void write_row(const Dims<rank>& to, int64_t matrix, int64_t row, Row out) const {
    double top = std::numeric_limits<double>::lowest(), sum = 0;
    for (int64_t j = 0; j < columns(); ++j) {
      top = std::max(top, out(j) = score(to, matrix, row, j));
    }
    for (int64_t j = 0; j < columns(); ++j) sum += out(j) = std::exp(out(j) - top);
    for (int64_t j = 0; j < columns() && sum != 0; ++j) out(j) /= sum;
  }

 private:
  double factor() const {
    if constexpr (is_given<Scale>) {
      return static_cast<double>(scale);
    } else {
      return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, width())));
    }
  }

  // What the mask adds; one of bools says where to attend.
  template <size_t rank>
  double bias(const Dims<rank>& to, int64_t matrix, int64_t row, int64_t column) const {
    if constexpr (is_given<Mask>) {
      Dims<rank> scores = to;
      scores[rank - 2] = rows();
      scores[rank - 1] = columns();
      const int64_t place = (matrix * rows() + row) * columns() + column;
      const auto element = mask[broadcast_index(place, scores, mask.dims)];
      if constexpr (std::is_same_v<std::remove_cv_t<decltype(element)>, bool>) {
        return element ? 0 : -std::numeric_limits<double>::infinity();
      } else {
        return static_cast<double>(element);
      }
    } else {
      return 0;
    }
  }
};

template <typename Q, size_t query_rank, typename K, size_t key_rank, typename Mask, typename Scale>
Attention<Q, query_rank, K, key_rank, Mask, Scale> attention(Tensor<Q, query_rank> query,
                                                             Tensor<K, key_rank> key, Mask mask,
                                                             bool is_causal, Scale scale) {
  return {query, key, mask, is_causal, scale};
}

}  // namespace mithril::snippets
