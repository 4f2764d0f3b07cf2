// Linear maps through torch's oneDNN kernels on the CPU: faster than its BLAS where they are large,
// with what comes after them in the same pass, and with weights that are packed once.
#pragma once

#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// The graph with its products of float32 as ops of this library, which choose a kernel by their
// sizes. A linear map with a constant weight takes the activation after it along, where nobody else
// reads what it makes; observer may be null.
Graph use_onednn(const Graph& graph, const Observer* observer);

// The constants of such a graph that its kernels want packed.
std::vector<ValueId> packed_weights(const Graph& graph);

}  // namespace mithril::torch_backend
