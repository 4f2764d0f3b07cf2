// Attention that is written out, as one op.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// softmax(query @ key.T * scale + mask) @ value becomes `scaled_dot_product`: the same to rounding,
// while no score is infinite or NaN. A mask is of floats (of at least 32 bits) and added, or of
// bools, with -inf in the place of scores. Query, key and value have two to four axes, those
// before the matrices the same, and one width. Elsewhere, and where somebody else reads what comes
// between, everything stays; so it does in the graph of a gradient, which reads the weights.
//
// A query that may attend to nothing gets NaN when written out, but zeros from the op. Rows of a
// mask that leave nothing become NaN, which the op hands on: more graph, for constants to be
// folded. A mask that is neither a constant nor shared, among samples or heads, would take too
// long, and stays.
Graph fuse_attention(const Graph& graph);

}  // namespace mithril
