// Attention: values weighted by softmax of the scores.
#pragma once
#include <algorithm>
#include <vector>

#include "codegen/cpp/kernels/attention.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Q, size_t query_rank, typename K, size_t key_rank,
          typename V, size_t value_rank, typename Mask, typename Scale, typename Dropout>
void scaled_dot_product(Tensor<T, rank> output, Tensor<Q, query_rank> query,
                        Tensor<K, key_rank> key, Tensor<V, value_rank> value, Mask mask,
                        bool is_causal, Scale scale, Dropout /*dropout_p*/) {
  const auto weights = attention(query, key, mask, is_causal, scale);
  const int64_t rows = weights.rows(), columns = weights.columns(), width = output.dims[rank - 1];
  const int64_t matrices = rows * width == 0 ? 0 : output.size() / (rows * width);
  std::vector<T> block(static_cast<size_t>(std::min(rows, attention_rows) * columns));
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    const int64_t from = broadcast_index(matrix, output.dims, value.dims, 2) * columns * width;
    for (int64_t first = 0; first < rows; first += attention_rows) {
      const int64_t last = std::min(rows, first + attention_rows);
      const int64_t attended = weights.columns_before(last);
      weights.write_weights(block.data(), attended, output.dims, matrix, first, last);
      multiply_matrices(output.data + (matrix * rows + first) * width,
                        static_cast<const T*>(block.data()), value.data + from, last - first,
                        attended, width);
    }
  }
}

}  // namespace mithril::snippets
