// Moves pointwise convolutions before resizing.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// A pointwise convolution mixes channels and a resize mixes pixels, so they commute: w (a x) is
// a (w x) for a matrix `a` over the height or the width. If the resize makes x larger, the
// convolution has less to do before it. A convolution of a concatenation of channels is the sum of
// convolutions of its parts. So conv2d(concat(x, matmul(a, y))) becomes conv2d(x) +
// matmul(a, conv2d(y)), if weight and bias are constants, the sizes are known, nothing else reads
// the concatenation and the products, and at least a quarter of the multiplications disappears.
// Results are equal up to rounding.
Graph hoist_convolutions(const Graph& graph);

}  // namespace mithril
