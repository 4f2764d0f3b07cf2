// Fuses products and sums that are rounded to float32.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Rewrites casts to float32 of left * right + addend in float64, where all three are numbers of
// float32, to multiply_add.
Graph fuse_multiply_adds(Graph graph);

}  // namespace mithril::cpu_backend
