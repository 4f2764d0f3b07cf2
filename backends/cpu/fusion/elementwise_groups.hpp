// Which nodes are done in one loop.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// All nodes of the graph, each in one group, those of a group in the order of the graph; some
// groups are empty. Groups of several are nodes that treat each element on its own and make values
// of the same dims, joined along what they read from each other wherever nothing outside the group
// stands between them. `alone`, per node: it stays by itself.
std::vector<std::vector<size_t>> fused_groups(const ShapedGraph& shaped,
                                              const std::vector<bool>& alone);

}  // namespace mithril::cpu_backend
