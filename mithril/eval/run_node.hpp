// Runs one node of a plan with the `eval` of its record.
#pragma once
#include <optional>
#include <vector>

#include "mithril/eval/plan.hpp"

namespace mithril {

// The values of a graph, by ValueId. Values that are still needed hold a tensor.
using Values = std::vector<std::optional<Tensor>>;

// Reads the node's arguments in `values`, and writes its outputs there.
void run_node(const PlannedNode& node, const Graph& graph, Values& values);

}  // namespace mithril
