// Attention: values weighed by how well their keys fit the queries.
#pragma once
#include <vector>

#include "codegen/snippets/attention.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Q, size_t query_rank, typename K, size_t key_rank,
          typename V, size_t value_rank, typename Mask, typename Scale, typename Dropout>
void scaled_dot_product(Tensor<T, rank> output, Tensor<Q, query_rank> query,
                        Tensor<K, key_rank> key, Tensor<V, value_rank> value, Mask mask,
                        bool is_causal, Scale scale, Dropout /*dropout_p*/) {
  const auto weights = attention(query, key, mask, is_causal, scale);
  const int64_t rows = weights.rows(), columns = weights.columns(), width = output.dims[rank - 1];
  std::vector<double> row(static_cast<size_t>(columns));
  for (int64_t i = 0; width > 0 && i < output.size() / width; ++i) {
    const int64_t matrix = i / rows;
    weights.write_row(output.dims, matrix, i % rows,
                      [&](int64_t j) -> double& { return row[static_cast<size_t>(j)]; });
    const int64_t from = broadcast_index(matrix, output.dims, value.dims, 2) * columns * width;
    for (int64_t f = 0; f < width; ++f) {
      double total = 0;
      for (int64_t j = 0; j < columns; ++j) {
        total += row[static_cast<size_t>(j)] * static_cast<double>(value[from + j * width + f]);
      }
      output[i * width + f] = static_cast<T>(total);
    }
  }
}

}  // namespace mithril::snippets
