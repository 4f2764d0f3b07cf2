// Half precision as storage: arithmetic runs in float32.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Computes nodes that read or make 16-bit floats in float32, or in float64 if another input is
// float64, between casts of what they read and make. These nodes keep 16 bits: nodes that only move
// or cast elements, GEMMs and attention of bfloat16 if the processor multiplies it, constants that
// kernels read in 16 bits, and ops without a kernel and without a formula.
Graph legalize_half(Graph graph, const Config& config);

}  // namespace mithril::cpu_backend
