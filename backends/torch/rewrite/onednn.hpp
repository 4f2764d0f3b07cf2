// Linear layers and convolutions through torch's oneDNN kernels on the CPU, with the following
// nodes fused and with weights packed once. Large ones are faster than with torch's BLAS.
#pragma once

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// The graph with its float32 products replaced by ops of onednn_ops.hpp. A product with a constant
// weight is packed, and absorbs a following sum or activation if it is the only consumer and is not
// observed. The observer may be null.
Graph use_onednn(const Graph& graph, const Observer* observer);

}  // namespace mithril::torch_backend
