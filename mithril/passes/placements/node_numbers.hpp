// Numbers in place of the sizes of a graph, because the rules of ops need numbers.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {

struct NodeNumbers {
  ArgumentPorts ports;
  size_t kind;                           // that of nodes which share these numbers, from 0 on
  bool nested;                           // whether the node has graphs of its own
  std::vector<bool> reads;               // per argument: a tensor whose elements the node reads
  std::vector<Datum> values;             // per argument; None if it is a tensor
  std::vector<Dims> argument_dims = {};  // per argument; empty if it is a value
  std::vector<Dims> output_dims = {};
};

// Nodes of one op that read tensors of the same dims and dtypes, and the same values, share their
// numbers. So what a model repeats costs little.
class GraphNumbers {
 public:
  // Those of a plan for the graph.
  GraphNumbers(const Graph& graph, const Plan& plan);
  // From the sizes of symbols, which is faster than a plan. Checks each node with numbers, as a
  // plan does. Empty if a size is not known before its node runs; then a plan knows it. Errors as
  // those of a plan.
  static std::optional<GraphNumbers> of_symbols(const Graph& graph, Sizes sizes);
  GraphNumbers(GraphNumbers&&) = default;  // a copy would point into the original
  GraphNumbers& operator=(GraphNumbers&&) = default;

  bool knows(ValueId id) const { return dims_[index(id)] != nullptr; }  // false: nothing makes it
  size_t kinds() const { return numbers_.size(); }
  const NodeNumbers& node(NodeId id) const { return *nodes_[index(id)]; }
  const Dims& dims(ValueId id) const { return *dims_[index(id)]; }

 private:
  class Search;
  GraphNumbers() = default;
  std::deque<Dims> shapes_ = {};
  std::deque<NodeNumbers> numbers_ = {};
  std::vector<const NodeNumbers*> nodes_ = {};
  std::vector<const Dims*> dims_ = {};
};

}  // namespace mithril
