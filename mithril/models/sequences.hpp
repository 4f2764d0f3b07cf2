// Parts of models of sequences: one-hot rows, positions, masks.
#pragma once
#include <optional>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

struct OneHotOptions {
  int64_t num_classes = 2;
};
// One-hot vectors: 1 at the class of each element, otherwise 0. Ports: input [...] (int), output
// [..., num_classes] (int).
Model OneHot(OneHotOptions options);

struct RotaryEmbeddingOptions {
  double base = 10000.0;       // the angle of pair i at position p is p base^(-2 i / dim)
  std::optional<int64_t> dim;  // the first elements that are rotated; empty: all
  bool interleaved = false;    // pairs are neighbours, instead of elements of both halves
  bool use_positions = false;  // whether there is a port positions; else they are 0, 1, ...
  // In place of base: the angle of pair i at position p is p frequencies[i]. One for each pair.
  std::optional<std::vector<double>> frequencies = {};
};
// Rotates pairs of elements by angles that grow with the position (Su et al. 2021). Ports: input
// [..., L, D], positions [L] or [..., L] (int) that broadcasts with the leading axes, output [...,
// L, D]. ValueError E0402 for frequencies that are not finite or with another base than the
// default, ShapeError E0206 for another number of them than D / 2.
Model RotaryEmbedding(const RotaryEmbeddingOptions& options = {});

struct CausalMaskOptions {
  std::optional<int64_t> window;  // the keys that a query sees; empty: all before it
};
// True where a query may attend to a key: one of the last `window` keys, none of them later than
// the query. The last query has the position of the last key. Ports: query [..., L, E], key [...,
// S, E], output [L, S] (bool).
Model CausalMask(CausalMaskOptions options = {});

struct RelativePositionBiasOptions {
  int64_t num_heads = 1;
  int64_t num_buckets = 32;    // of distances; half of them are for later keys if bidirectional
  int64_t max_distance = 128;  // distances from here on share a bucket
  bool bidirectional = true;   // whether later keys have separate buckets
};
// A learned bias of attention scores for each distance of key and query (Raffel et al. 2020).
// Ports: query [..., L, E], key [..., S, E], weight [num_buckets, num_heads], output [num_heads, L,
// S].
Model RelativePositionBias(const RelativePositionBiasOptions& options);

}  // namespace mithril
