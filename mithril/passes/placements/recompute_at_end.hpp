// Recomputes outputs after the last exchange, so that a step does not keep them during exchanges.
#pragma once

#include <cstddef>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// A step writes an output over its input only after the last exchange, so that the input survives a
// failed exchange. Until then it would keep the output, if an exchange depends on it: the exchange
// of parameters depends on the next moments of an optimizer. This pass appends nodes that compute
// such an output again. The step keeps their operands in its place: the gradient for both moments.
// Only elementwise nodes are recomputed. Each of `groups` has indices of outputs that are
// recomputed together, if that keeps fewer bytes.
Graph recompute_at_end(const Graph& graph, const std::vector<std::vector<size_t>>& groups);

}  // namespace mithril
