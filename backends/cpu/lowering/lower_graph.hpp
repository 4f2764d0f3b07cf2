// Lowering: from groups of graph nodes to step descriptors.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"

namespace mithril::cpu_backend {

// One step for each group of elementwise nodes, or a step for each node: by its kernel, as a copy
// or a view, or by the `eval` of its op. Buffer 0 is the arena. The buffers from 1 on hold the
// inputs, then the constants.
LoweredGraph lower(const LoweringContext& context, const NodeGroups& groups);

}  // namespace mithril::cpu_backend
