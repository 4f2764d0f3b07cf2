// Transformers of the sizes that are measured.
#pragma once

#include "mithril/model/model.hpp"

namespace mithril::bench {

struct TransformerSize {
  int64_t vocabulary, width, heads, layers, positions;
  bool is_gpt = false;  // norms before the sublayers, causal, and logits at the end
};

// A model that reads the tokens "x0" [N, T] and computes "out" [N, T, width or vocabulary].
Model reader(const TransformerSize& size);

// The same model also computes "loss", the mean squared distance between the output and "y".
Model imitator(const TransformerSize& size);

}  // namespace mithril::bench
