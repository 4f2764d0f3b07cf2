// Batch normalization with given statistics, as elementwise arithmetic.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Replaces each batch_norm_inference whose tensors have one dtype of 32 or 64 bits by
// (input - mean) * (weight / sqrt(variance + eps)) + bias, so that it fuses with its neighbours.
Graph decompose_batch_norm(const Graph& graph);

}  // namespace mithril::cpu_backend
