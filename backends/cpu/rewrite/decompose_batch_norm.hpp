// Batch normalization with given statistics, as elementwise arithmetic.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Replaces each batch_norm_inference whose tensors are all float32 or all float64 by elementwise
// nodes, which fuse with their neighbours: (input - mean) * (weight / sqrt(variance + eps)) + bias.
Graph decompose_batch_norm(Graph graph);

}  // namespace mithril::cpu_backend
