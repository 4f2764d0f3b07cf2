// Checkpointing: gradients recompute forward values instead of keeping them.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// `whole`: a graph with its gradient (grad/differentiate.hpp), of whose outputs the first `outputs`
// are the graph's own. The forward part is cut into segments where little crosses the cuts. What
// crosses one is kept; what the gradient reads inside a segment, the last one apart, is computed
// again where it is first read. The results are the same to the bit. Run it last: to
// eliminate_common_subexpressions the copies are what they are copies of.
Graph recompute(const Graph& whole, size_t outputs);
// The same with the caller's cuts: the steps (nodes of the forward part, in order) that start a
// segment.
Graph recompute(const Graph& whole, size_t outputs, const std::vector<size_t>& cuts);

}  // namespace mithril
