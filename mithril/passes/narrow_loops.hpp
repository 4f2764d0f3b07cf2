// Removes what no output of a graph needs, in loops and choices, too.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Removes unread nodes, and unread results and arguments of loops and choices. The gradient of the
// gradient of a loop takes values of each step from a copy of the first one, whose own results are
// not read.
Graph narrow_loops(const Graph& graph);

}  // namespace mithril
