// Groups of elementwise nodes that become one step each.
#pragma once

#include <string>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/passes/node_groups.hpp"

namespace mithril::cpu_backend {

// Puts each node of the graph into one group; some groups are empty. A group of several nodes
// holds elementwise nodes whose outputs have the same dims, merged along the values that they read
// from each other. No group depends on itself by way of another.
NodeGroups fuse_elementwise(const LoweringContext& context);

// A line for each group: its values and their ops.
std::string to_string(const NodeGroups& groups, const ShapedGraph& shaped);

}  // namespace mithril::cpu_backend
