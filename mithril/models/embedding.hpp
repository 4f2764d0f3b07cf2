// Embedding: the row of a table at each index.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct EmbeddingOptions {
  std::optional<int64_t> num_embeddings = {}, dim = {};
  // The row of padding, which gets no gradient. A negative one counts from the end, which needs
  // num_embeddings.
  std::optional<int64_t> padding_idx = {};
};
// Ports: input [...] (int), weight [num_embeddings, dim] (standard normal to begin with, as
// PyTorch's nn.Embedding), output [..., dim].
Model Embedding(const EmbeddingOptions& options = {});

}  // namespace mithril
