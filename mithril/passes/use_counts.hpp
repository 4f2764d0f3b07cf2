// Use counts of the values of a graph.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Per value: the number of node arguments and graph outputs that refer to it.
inline std::vector<int> use_counts(const Graph& graph) {
  std::vector<int> counts(graph.values().size());
  for (const Output& output : graph.outputs()) ++counts[index(output.value)];
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) ++counts[index(*id)];
    }
  }
  return counts;
}

}  // namespace mithril
