// Removes what vmap was made of.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Removes `row_of` and `unit_of` nodes and the nodes that read them, which `stack_rows` and
// `stack_units` have replaced by others. A loop or a choice keeps the outputs that depend on no
// row. ValueError E0428 for an output of the graph among them.
Graph drop_rows(const Graph& graph);

// Per value of a graph before expand_ops: whether it is one of an index, inside a vmap.
std::vector<bool> values_of_rows(const Graph& graph);

}  // namespace mithril
