// Splits a graph with its gradient into a forward and a backward graph.
#pragma once
#include "mithril/backend/backend.hpp"

namespace mithril {

// `inputs`, `outputs`: how many of the whole's belong to the forward graph. The others are the
// gradients that come in and go out (grad/differentiate.hpp). All forward inputs are among what is
// saved, because sizes are read off them.
GradientGraphs split_gradient(const Graph& whole, size_t inputs, size_t outputs);

}  // namespace mithril
