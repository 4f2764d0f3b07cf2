// Runs one node of a plan with the `eval` of its record.
#pragma once
#include <optional>
#include <vector>

#include "mithril/eval/plan.hpp"

namespace mithril {

// The values of a graph, by ValueId. Values that are still needed hold a tensor.
using Values = std::vector<std::optional<Tensor>>;

// Reads the node's arguments in `values`, and writes its outputs there.
void run_node(const PlannedNode& node, const Graph& graph, Values& values);

// Writes the outputs of the node, which hold zeros. `inputs`: the tensors that it reads, in order,
// without absent ones and numbers. Half precision is storage, and ops compute in float32: 16-bit
// inputs are converted, and the outputs of 16-bit values are float32 here.
void evaluate_node(const PlannedNode& node, const Graph& graph, std::vector<Tensor> inputs,
                   std::vector<Tensor>& outputs);

}  // namespace mithril
