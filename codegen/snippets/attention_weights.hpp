// How much each query attends to each key.
#pragma once
#include <vector>

#include "codegen/snippets/attention.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Q, size_t query_rank, typename K, size_t key_rank,
          typename Mask, typename Scale>
void attention_weights(Tensor<T, rank> output, Tensor<Q, query_rank> query, Tensor<K, key_rank> key,
                       Mask mask, bool is_causal, Scale scale) {
  const auto weights = attention(query, key, mask, is_causal, scale);
  const int64_t rows = weights.rows(), columns = weights.columns();
  std::vector<double> row(static_cast<size_t>(columns));
  for (int64_t i = 0; columns > 0 && i < output.size() / columns; ++i) {
    weights.write_row(output.dims, i / rows, i % rows,
                      [&](int64_t j) -> double& { return row[static_cast<size_t>(j)]; });
    for (int64_t j = 0; j < columns; ++j) {
      output[i * columns + j] = static_cast<T>(row[static_cast<size_t>(j)]);
    }
  }
}

}  // namespace mithril::snippets
