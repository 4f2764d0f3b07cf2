// Attention weights: softmax of the scores.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/attention.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Q, size_t query_rank, typename K, size_t key_rank,
          typename Mask, typename Scale>
void attention_weights(Tensor<T, rank> output, Tensor<Q, query_rank> query, Tensor<K, key_rank> key,
                       Mask mask, bool is_causal, Scale scale) {
  const auto weights = attention(query, key, mask, is_causal, scale);
  const int64_t rows = weights.rows(), columns = weights.columns();
  const int64_t matrices = rows * columns == 0 ? 0 : output.size() / (rows * columns);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    for (int64_t first = 0; first < rows; first += attention_rows) {
      weights.write_weights(output.data + (matrix * rows + first) * columns, columns, output.dims,
                            matrix, first, std::min(rows, first + attention_rows));
    }
  }
}

}  // namespace mithril::snippets
