// Linear maps and convolutions through torch's oneDNN kernels on the CPU: faster than its BLAS
// where they are large, with what comes after them in the same pass, and with weights packed once.
#pragma once

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// The graph with its products of float32 as ops of onednn_ops.hpp. One with a constant weight is
// packed, and takes a sum or an activation after it along, where nobody else reads or observes what
// it makes; observer may be null.
Graph use_onednn(const Graph& graph, const Observer* observer);

}  // namespace mithril::torch_backend
