// Sizes with which nodes of a nested graph compute, and which follow from none of its inputs.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/graph/scan_node.hpp"

namespace mithril {

// Whether the value has such a size.
bool has_open_size(const Graph& body, const Value& value);
// Adds arguments of `from` that every step of `to` reads for their sizes only: those with such a
// size of `to`, which has values of the body of `from`. `prefix`: of new names.
void add_size_arguments(ScanLoop& to, const ScanLoop& from, const std::string& prefix);
// Adds inputs to the graphs, which share the facts of `graph`, for their sizes only. Returns the
// values of `graph` that have these sizes: further arguments of the node that has the graphs.
std::vector<ValueId> add_size_inputs(const Graph& graph, const std::vector<Graph*>& nested);

}  // namespace mithril
