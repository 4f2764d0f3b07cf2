// Lowering: from groups of graph nodes to step descriptors.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"

namespace mithril::cpu_backend {

// One step for each group of elementwise nodes, or a step for each node: by its kernel, as a copy
// or a view, or by the `eval` of its op. Adds to `transposes`, which the context refers to, the
// transposes that GEMMs absorb. Buffer 0 is the arena. The inputs, then the constants, are in the
// buffers from 1 on.
LoweredGraph lower(const LoweringContext& context, std::vector<std::optional<ValueId>>& transposes,
                   const NodeGroups& groups);

}  // namespace mithril::cpu_backend
