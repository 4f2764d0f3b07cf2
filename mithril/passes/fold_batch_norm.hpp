// Weights that take a normalisation after them along.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// A batch norm by given statistics after a linear map or a convolution, all of their parameters
// constants, becomes part of the weight and the bias: (w x + b - m) s + t is (s w) x + (b - m) s +
// t, to rounding. Where somebody else reads the product, both stay.
Graph fold_batch_norm(const Graph& graph);

}  // namespace mithril
