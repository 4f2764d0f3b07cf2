// Rows of a table, chosen by index.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct EmbeddingOptions {
  std::optional<int64_t> num_embeddings = {}, dim = {};
};
// Ports: input [...] (int), weight [num_embeddings, dim] (standard normal to begin with, as
// PyTorch's nn.Embedding), output [..., dim].
Model Embedding(const EmbeddingOptions& options = {});

}  // namespace mithril
