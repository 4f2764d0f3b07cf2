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
  // Dims of the node's outputs; nothing where the op leaves them open. The dims of its tensors are
  // known; values[i] stands for its i-th argument where that is a value. Raises what the op's
  // patterns and `solve` refuse, with the path and the op.
  std::vector<std::optional<Dims>> infer(const Node& node, const std::vector<Datum>& values) const;

 private:
  const Graph& graph_;
  Graph numbers_;  // the same values, with numbers as their dims
};

}  // namespace mithril
