// The graph passes of this backend.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Replaces each batch_norm_inference whose tensors are all float32 or all float64 by elementwise
// nodes, which fuse with their neighbours: (input - mean) * (weight / sqrt(variance + eps)) + bias.
Graph decompose_batch_norm(const Graph& graph);

// Replaces conv2d(pad(x)) by a convolution with more padding where the pad adds zeros to the height
// and the width only, by constant widths, and where only convolutions read it.
Graph fold_padding(const Graph& graph);

// Computes nodes that read or make 16-bit floats in float32, or in float64 if another input is
// float64, between casts of what they read and make. These nodes keep 16 bits: nodes that only move
// or cast elements, GEMMs and attention of bfloat16 if the processor multiplies it, constants that
// kernels read in 16 bits, and ops without a kernel and without a formula.
Graph legalize_half(const Graph& graph, const Config& config);

}  // namespace mithril::cpu_backend
