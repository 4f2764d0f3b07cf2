// Replaces written-out attention by one op.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// softmax(query @ key.T * scale + mask) @ value becomes `scaled_dot_product`, with equal results up
// to rounding while no score is infinite or NaN. A mask is added (floats of at least 32 bits), or
// is bool and selects -inf. Query, key and value have two to four axes, the same batch axes and one
// dtype. Other forms stay, and so does attention whose intermediate values have other readers, as
// in the graph of a gradient, which reads the weights.
//
// A query that may attend to nothing gives NaN when written out, but zeros from the op. So the pass
// writes NaN into such rows of the mask, with nodes that fold_constants evaluates for constant
// masks. A mask that is neither a constant nor shared among samples or heads would cost too much,
// so its attention stays.
Graph fuse_attention(const Graph& graph);

}  // namespace mithril
