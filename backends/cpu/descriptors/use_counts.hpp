// How often each value of a graph is used.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"

namespace mithril::cpu_backend {

// Per value: the arguments of nodes and the outputs of the graph that are this value, and 1 for the
// observer. `observed`, per node: the observer wants its outputs; empty: none.
std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>& observed);

}  // namespace mithril::cpu_backend
