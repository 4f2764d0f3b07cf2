// Observers of the values of a running graph.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril {

class Observer {
 public:
  virtual ~Observer() = default;
  // Called when the graph is loaded, once per node.
  virtual bool wants(const Node& node) const = 0;
  // Called with an output of such a node as soon as it is computed, in the thread that runs the
  // graph. A returned tensor of the same dims and dtype replaces it. An exception ends the run.
  virtual Tensor observe(const Graph& graph, const Node& node, ValueId value,
                         const Tensor& tensor) const = 0;
};

}  // namespace mithril
