// Choosing between training and inference.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril {

// Whether anything in the graph depends on the mode.
bool depends_on_mode(const Graph& graph);

// The graph of one mode: `by_mode` becomes what it chooses, which takes over its name where nothing
// else reads it. Nodes that served only the other mode go; other nodes that nobody reads stay.
Graph settle_mode(const Graph& graph, bool inference);

}  // namespace mithril
