// Attention.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct ScaledDotProductOptions {
  bool is_causal = true;             // each query attends to the keys up to its own place
  std::optional<double> scale = {};  // of query @ key.T; empty: 1/sqrt(E)
  double dropout_p = 0;              // only 0: see the op
  bool use_attn_mask = false;        // whether there is a mask beside is_causal
};

// Ports: query [..., L, E], key [..., S, E], value [..., S, F], attn_mask (of bools, or of floats
// that are added; broadcast to [..., L, S]), output [..., L, F], and the options but the last as
// values.
Model ScaledDotProduct(const ScaledDotProductOptions& options = {});

}  // namespace mithril
