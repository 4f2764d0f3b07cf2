// The graph passes that run once, before the sizes are known.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Rewrites the graph into ops that this backend has kernels for. An observer sees batch
// normalization and padding as nodes.
Graph legalize(Graph graph, const Config& config);

}  // namespace mithril::cpu_backend
