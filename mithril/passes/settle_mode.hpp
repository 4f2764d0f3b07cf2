// Choosing between training and inference.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril {

// Whether any node depends on the mode.
bool depends_on_mode(const Graph& graph);

// The graph of one mode. The chosen value replaces `by_mode`, and takes over its name if nothing
// else reads that value. Nodes that served only the other mode are removed; other unread nodes
// stay.
Graph settle_mode(const Graph& graph, bool inference);

}  // namespace mithril
