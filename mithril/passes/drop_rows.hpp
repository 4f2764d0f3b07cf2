// Removes what vmap was made of.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Removes `row_of` and `unit_of` nodes and the nodes that read them, which `stack_rows` and
// `stack_units` have replaced by others. A loop keeps the outputs that depend on no row.
// ValueError E0428 for an output of the graph among them.
Graph drop_rows(const Graph& graph);

}  // namespace mithril
