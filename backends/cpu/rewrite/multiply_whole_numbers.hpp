// Computes products of 8-bit numbers, which models spell in float64, as sums of int32.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Rewrites matmul and conv2d of float64 operands that are numbers of 8 bits, numbers of 8 bits
// without their zero point, or constants of small whole numbers, if int32 holds every sum. The
// results are the same numbers. A product that is then cast to int32 or float32 is never float64.
Graph multiply_whole_numbers(const Graph& graph);

}  // namespace mithril::cpu_backend
