// Runs one node of a plan with the `eval` of its record.
#pragma once
#include <optional>
#include <vector>

#include "mithril/eval/plan.hpp"

namespace mithril {

// Of a graph, by ValueId; those that are read or kept hold a tensor.
using Values = std::vector<std::optional<Tensor>>;

// Reads the node's arguments in `values`, and writes its outputs there.
void run_node(const PlannedNode& node, const Graph& graph, Values& values);

}  // namespace mithril
