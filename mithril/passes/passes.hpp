// The passes: pure functions from graph to graph. Names and dims of the values that stay do not
// change.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Nodes of ops that are only a way of writing others become those others.
Graph expand_ops(const Graph& graph);
// The same, and what nobody reads stays.
Graph expand_only(const Graph& graph);
// What depends on constants alone becomes a constant.
Graph fold_constants(const Graph& graph);
// Nodes of the same op with the same arguments become one; so do equal constants.
Graph merge_equal(const Graph& graph);
// Drops what no output depends on. Inputs stay: they are the signature.
Graph prune(const Graph& graph);

}  // namespace mithril
