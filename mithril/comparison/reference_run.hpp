// All values of a graph for one set of inputs, and parts of the graph that start from them.
#pragma once

#include <cstdint>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/base/random.hpp"
#include "mithril/comparison/reduced_failure.hpp"
#include "mithril/eval/plan.hpp"

namespace mithril {

// Some nodes of a graph, as a graph of fixed sizes.
struct GraphCut {
  Graph graph;
  // Values of the whole graph, in the order of graph.inputs() and graph.outputs().
  std::vector<ValueId> inputs, outputs;
};

class ReferenceRun {
 public:
  // Runs the graph on the backend. The inputs are in the memory of this process.
  ReferenceRun(Graph graph, std::vector<Tensor> inputs, Backend& backend,
               const LoadOptions& options);

  const Graph& graph() const { return graph_; }
  const Tensor& value(ValueId id) const { return values_[index(id)]; }
  std::vector<Tensor> values(const std::vector<ValueId>& ids) const;

  // The nodes, each computed from values of this run; all their results are outputs.
  GraphCut apart(const std::vector<size_t>& nodes) const;
  // The nodes, which read each other's results, with one output.
  GraphCut together(const std::vector<size_t>& nodes, ValueId output) const;
  // The nodes on which the value depends, in the order of the graph.
  std::vector<size_t> nodes_before(ValueId value) const;
  // Considers only these nodes.
  std::vector<size_t> nodes_before(ValueId value, const std::vector<size_t>& among) const;
  // How much the value changes at most if rounding changes the inputs and results of the nodes,
  // which compute it. 0 if a node has no reference implementation; infinite if a node refuses the
  // changed numbers.
  double rounding(const std::vector<size_t>& nodes, ValueId value, std::uint64_t seed) const;
  // The nodes as a model with the output "output", and its inputs.
  ReducedFailure as_model(const std::vector<size_t>& nodes, ValueId output) const;

 private:
  class Cutting;
  Value fixed_value(ValueId id) const;
  // The value with changes like those of rounding. `made`: the values that the nodes make.
  Tensor rounded_value(const std::vector<size_t>& nodes, ValueId value,
                       const std::vector<bool>& made, Random& random) const;
  std::vector<bool> made_by(const std::vector<size_t>& nodes) const;  // per value

  Graph graph_;
  std::vector<Tensor> values_;  // per value of the graph
  std::vector<bool> constant_;  // per value
  Plan plan_;
};

}  // namespace mithril
