// Cuts a graph into segments, each of which one of several backends runs.
#pragma once
#include <span>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct GraphSegment {
  size_t member = 0;  // the number of the backend
  Graph graph;
  // The values of the whole graph, in the order of graph.inputs() and graph.outputs(). Some inputs
  // may be read for their sizes only.
  std::vector<ValueId> inputs, outputs;
};

// `members`: the number of the backend of each node. The segments run in this order: each reads
// inputs of the whole graph and results of segments before it. There are as few as the greedy
// order finds: a node runs as early as the crossings before it allow. Values keep their names.
std::vector<GraphSegment> partition(const Graph& graph, std::span<const size_t> members);

}  // namespace mithril
