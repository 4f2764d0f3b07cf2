// Adds the place in the graph to an error.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Raises the error with the name of the node's value as its path, and the op in front of the
// message. A path that the error has stays.
[[noreturn]] void raise_at(const Graph& graph, const OpDef& op, ValueId made, const Error& error);

}  // namespace mithril
