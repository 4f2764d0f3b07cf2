// Use counts of the values of a graph.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// A program with calls of kernels, two outputs and a broadcast input, of these dims.
inline std::vector<int> reader_counts(const Graph& graph) {
  std::vector<int> readers(graph.values().size());
  for (const Output& output : graph.outputs()) ++readers[index(output.value)];
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) ++readers[index(*id)];
    }
  }
  return readers;
}

}  // namespace mithril
