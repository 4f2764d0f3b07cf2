// Fixes some inputs of a graph.
#pragma once

#include <unordered_map>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces these inputs by constants. The other inputs keep their order. The result has its own
// symbols, because the sizes of the constants add facts. ShapeError if these sizes contradict the
// graph.
Graph fix_inputs(const Graph& graph, const std::unordered_map<ValueId, Tensor>& tensors);

}  // namespace mithril
