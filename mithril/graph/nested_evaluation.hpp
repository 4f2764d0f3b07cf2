// Runs the reference implementations of a graph that a node contains.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class EvalContext;

class NestedEvaluation {
 public:
  // `inputs`: the dims of its inputs. ValueError E0403 if a size of a value follows from none.
  NestedEvaluation(const Graph& graph, const std::vector<Dims>& inputs);

  std::vector<Dims> output_dims() const;
  std::vector<Tensor> run(const std::vector<Tensor>& inputs);

 private:
  void evaluate(const Node& node);

  const Graph graph_;  // all dims are numbers
  std::vector<std::optional<Tensor>> values_;
};

// Writes the elements of the tensor to an output, from element `at` on.
void write_elements(EvalContext& context, int output, const Tensor& made, int64_t at);

}  // namespace mithril
