// Differentiates a graph by adding nodes.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct DifferentiateOptions {
  std::vector<std::string> outputs;  // names of graph outputs with an incoming gradient
  std::vector<std::string> wanted;   // names of graph inputs whose gradients are wanted
};

// The graph, with an input "<output>.grad" for each of `outputs` (with its shape), and an output
// "<wanted>.grad" for each of `wanted` (with its shape; zeros if no output depends on it).
// GradientError: E0501 an op between them is not differentiable, E0502 an output or wanted value is
// not of a float dtype.
Graph differentiate(Graph graph, const DifferentiateOptions& options);

// For each of `wanted`, whether a gradient flows to it; otherwise that of `differentiate` is zeros.
std::vector<bool> have_gradients(const Graph& graph, const DifferentiateOptions& options);

}  // namespace mithril
