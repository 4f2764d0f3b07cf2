// The first values and nodes of a graph, as a program of their own.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct GraphPart {
  // All of a graph.
  explicit GraphPart(const Graph& whole)
      : graph(whole),
        values(whole.values().size()),
        nodes(whole.nodes().size()),
        outputs(whole.outputs()) {}
  GraphPart(const Graph& whole, size_t values, size_t nodes, std::vector<Output> outputs)
      : graph(whole), values(values), nodes(nodes), outputs(std::move(outputs)) {}

  bool has(ValueId id) const { return index(id) < values; }
  Graph copy() const;

  const Graph& graph;  // which outlives the part
  size_t values, nodes;
  std::vector<Output> outputs;
};

}  // namespace mithril
