// Batch norms with given statistics, as arithmetic that loops do.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// The graph with (input - mean) * (weight / sqrt(variance + eps)) + bias in place of each
// batch_norm_inference whose tensors have one dtype of 32 or 64 bits: one loop, which a convolution
// before it takes up. What follows from the statistics alone is made first.
Graph loop_batch_norms(const Graph& graph);

}  // namespace mithril::cpu_backend
