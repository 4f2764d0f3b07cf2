// Half precision as storage: what is computed, is computed in float32.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

struct WideningOptions {
  bool bfloat16_products = true;  // by the processor's instruction, where it has one
};

// The graph with nodes that read elements of 16 bits, or make them, in float32 (or float64 where
// that takes part), and in between nodes that widen what is read and round what is made. What only
// moves elements, keeps them or converts them stays as it is, and so do constants that kernels read
// in 16 bits, both sides of products where the processor multiplies bfloat16, and ops for which
// there is neither kernel nor formula.
Graph widen_halves(const Graph& graph, const WideningOptions& options);

}  // namespace mithril::cpu_backend
