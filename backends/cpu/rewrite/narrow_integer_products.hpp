// Narrows float64 products of 8-bit integers to int16 products with int32 sums.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Rewrites a float64 matmul or conv2d to an op of integer_product_ops if int32 holds every possible
// sum. An operand is a cast of int8 or uint8, the difference of such a cast and a scalar zero
// point, or a constant of integers that int16 holds. The results do not change. A cast of the
// product to int32 or float32 reads the int32 sums.
Graph narrow_integer_products(Graph graph);

}  // namespace mithril::cpu_backend
