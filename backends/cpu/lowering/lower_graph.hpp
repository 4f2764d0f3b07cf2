// Lowering: from groups of graph nodes to step descriptors.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"

namespace mithril::cpu_backend {

// Makes one step for each group of elementwise nodes and for each other node. The step of a node
// runs its kernel, a copy, or the `eval` of its op. A view needs no step. Buffer 0 is the arena.
// The inputs follow it, then the constants.
LoweredGraph lower(const LoweringContext& context, const NodeGroups& groups);

}  // namespace mithril::cpu_backend
