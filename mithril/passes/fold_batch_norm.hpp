// Merges a batch norm into the weights before it.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Merges a batch norm with fixed statistics into the weight and the bias of the linear map or the
// convolution before it, if all their parameters are constants: (w x + b - m) s + t is (s w) x + (b
// - m) s + t, up to rounding. If another node reads the product, both stay.
Graph fold_batch_norm(const Graph& graph);

}  // namespace mithril
