// Float64 numbers with errors like those of rounding, to see how much a result depends on them.
#pragma once

#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

inline double nudged_by(double amount, Random& random) {
  return 1 + (random() % 2 == 0 ? amount : -amount);
}

// Makes each float64 a little larger or smaller; zeros stay as they are.
inline Tensor nudged(const Tensor& tensor, double amount, Random& random) {
  Tensor copy = tensor.copy();
  if (copy.dtype() == DType::float64) {
    for (double& value : copy.mutable_values<double>()) value *= nudged_by(amount, random);
  }
  return copy;
}

// Returns factors for a value: one per element if the dims are known. A factor that all elements
// share would cancel where an op subtracts them, which rounding errors do not.
inline ValueId nudging_factor(Graph& graph, const Value& value, double amount, Random& random) {
  std::vector<int64_t> dims;
  for (const Dim& dim : value.dims) {
    if (dim.is_constant()) dims.push_back(dim.constant());
  }
  if (dims.size() < value.dims.size()) dims.clear();
  Tensor factors = Tensor::full(DType::float64, dims, 1);
  for (double& factor : factors.mutable_values<double>()) factor = nudged_by(amount, random);
  return graph.add_constant(value.name + ".factor", std::move(factors));
}

// Makes each float64 that a node computes a little larger or smaller.
inline Graph nudged(const Graph& graph, double amount, Random& random) {
  Rebuilder rebuilder(graph);
  for (const Node& node : graph.nodes()) {
    rebuilder.keep(node);
    for (const ValueId id : node.outputs) {
      const Value& value = graph.value(id);
      if (value.dtype != DType::float64) continue;
      Graph& made = rebuilder.graph();
      const ValueId factor = nudging_factor(made, value, amount, random);
      rebuilder.replace(
          id, made.add(find_op("multiply"), {rebuilder.map(id), factor}, value.name + ".nudged")
                  .front());
    }
  }
  return rebuilder.finish();
}

}  // namespace mithril::tests
