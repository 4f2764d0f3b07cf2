// Who looks on while a graph runs.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril {

class Observer {
 public:
  virtual ~Observer() = default;
  // Asked when the graph is loaded, and once per node.
  virtual bool wants(const Node& node) const = 0;
  // An output of such a node, as soon as it is there, in the thread that runs the graph. What is
  // given back stands in its place from then on: a tensor of the same dims and dtype. What is
  // thrown ends the run.
  virtual Tensor made(const Graph& graph, const Node& node, ValueId value,
                      const Tensor& tensor) const = 0;
};

}  // namespace mithril
