// Splits a graph with its gradient into a forward and a backward graph.
#pragma once
#include "mithril/backend/backend.hpp"

namespace mithril {

// `inputs`, `outputs`: the number of inputs and outputs of the forward graph. The others are
// incoming and resulting gradients (grad/differentiate.hpp). All forward inputs are saved, because
// sizes are observed from them.
GradientGraphs split_gradient(const Graph& whole, size_t inputs, size_t outputs);

// The graph without its first `outputs` outputs: its inputs and the resulting gradients, under
// names that no input begins with. So the incoming gradient of each has a name of its own.
Graph gradients_alone(const Graph& whole, size_t outputs);

}  // namespace mithril
