// Transformers of the sizes that are measured.
#pragma once

#include "mithril/mithril.hpp"

namespace mithril::bench {

struct TransformerSize {
  int64_t vocabulary, width, heads, layers, positions;
  bool is_gpt = false;  // norms before the sublayers, causal, and logits at the end
};

// What reads the tokens "x0" [N, T] and gives "out" [N, T, width or vocabulary].
Model reader(const TransformerSize& size);

// The same with "loss", the mean squared distance of what comes out from "y".
Model imitator(const TransformerSize& size);

}  // namespace mithril::bench
