// Infers the output sizes of a node from numbers. So sizes that symbols could not check are refused
// before a kernel relies on them.
#pragma once
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class NodeSizes {
 public:
  explicit NodeSizes(const Graph& graph);  // which outlives it

  void know(ValueId id, const Dims& dims);
  // The dims of the node's outputs; none if the op leaves them unknown. The dims of its tensors are
  // known; values[i] replaces its i-th argument if that is a value. Raises the errors of the op's
  // patterns and `solve`, with the path and the op.
  std::vector<std::optional<Dims>> infer(const Node& node, const std::vector<Datum>& values) const;

 private:
  const Graph& graph_;
  Graph numbers_;  // the same values, with numbers as their dims
};

// The same for a node of a graph whose dims are numbers. Errors name `made`, a value of `graph`.
std::vector<std::optional<Dims>> infer_sizes(const Graph& numbers, const Node& node,
                                             const Graph& graph, ValueId made);

}  // namespace mithril
