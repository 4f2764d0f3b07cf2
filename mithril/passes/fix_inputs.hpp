// A graph some of whose inputs are decided.
#pragma once

#include <unordered_map>

#include "mithril/graph/graph.hpp"

namespace mithril {

// The graph with constants in the place of these inputs; the others stay, in their order. It has
// symbols of its own, for the sizes of the constants say more than the graph knew. ShapeError where
// those sizes contradict what it knows.
Graph fix_inputs(const Graph& graph, const std::unordered_map<ValueId, Tensor>& tensors);

}  // namespace mithril
