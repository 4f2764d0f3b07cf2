// Attention.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct ScaledDotProductOptions {
  bool is_causal = true;             // each query attends to the keys up to its own place
  std::optional<double> scale = {};  // of query @ key.T; empty: 1/sqrt(E)
  double dropout_p = 0;  // probability of a weight to be dropped; the others are divided by 1 - p
  bool use_attn_mask = false;          // whether there is a mask besides is_causal
  int64_t seed = 0;                    // of the masks, as in Dropout
  std::optional<bool> inference = {};  // true: drop nothing; empty: as compiled
};

// Ports: query [..., L, E], key [..., S, E], value [..., S, F], attn_mask (of bools, or of floats
// that are added; broadcast to [..., L, S]), output [..., L, F], and as values is_causal, scale
// and, where it is 0, dropout_p. Where it is not, a Dropout with its state is between the weights
// and their product with the values, while training.
Model ScaledDotProduct(const ScaledDotProductOptions& options = {});

}  // namespace mithril
