// The forward values of a graph with its gradient.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// For each value, whether the first `outputs` outputs depend on it. The rest depends on incoming
// gradients.
std::vector<bool> forward_part(const Graph& whole, size_t outputs);
// Whether the node makes one of these values.
bool makes_any(const Node& node, const std::vector<bool>& values);

}  // namespace mithril
