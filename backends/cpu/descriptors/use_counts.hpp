// Counts the uses of each value of a graph.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"

namespace mithril::cpu_backend {

// Per value: the number of node arguments and graph outputs that refer to it, plus 1 if the
// observer wants it. `observed`, per node: the observer wants its outputs; empty: none.
std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>& observed);

}  // namespace mithril::cpu_backend
