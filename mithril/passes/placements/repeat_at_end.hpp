// Computes values that are kept until all exchanges have succeeded when they have.
#pragma once

#include <cstddef>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// An output that replaces an input is kept until the last exchange has succeeded: if one fails, the
// input is as before. An exchange may depend on such outputs, as gathered parameters depend on the
// moments of an optimizer. Then nodes at the end of the graph compute them once more, from what the
// first ones read: the gradient is kept in place of both moments. Only formulas of one element are
// repeated. `groups`: outputs, by index, that are repeated together, if fewer bytes are kept then.
Graph repeat_at_end(const Graph& graph, const std::vector<std::vector<size_t>>& groups);

}  // namespace mithril
