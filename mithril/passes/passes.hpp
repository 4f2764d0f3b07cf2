// The passes: pure functions from graph to graph. Names and dims of the values that stay do not
// change.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces nodes whose ops have `expand` by the nodes that it builds.
Graph expand_ops(const Graph& graph);
// The same, but keeps unread nodes.
Graph expand_only(const Graph& graph);
// Evaluates nodes that depend on constants only.
Graph fold_constants(const Graph& graph);
// Keeps one of several nodes with the same op and arguments, and one of equal constants (CSE).
Graph eliminate_common_subexpressions(const Graph& graph);
// Removes nodes that no output depends on (DCE). Inputs stay: they are the signature.
Graph eliminate_dead_nodes(const Graph& graph);

}  // namespace mithril
