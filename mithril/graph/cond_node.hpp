// Nodes of op `cond`: a choice between two graphs.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class BatchContext;
class EvalContext;
class GradContext;

// What a node of op `cond` says. Both graphs have the arguments as inputs, in their order, and
// outputs of the same dtypes and dims.
struct CondNode {
  Graph then, otherwise;
  ValueId condition{};  // a scalar bool: `then` runs if it is true
  std::vector<ValueId> arguments = {};
  std::vector<Value> results = {};  // of the outputs, without names
};

bool is_cond(const Node& node);
CondNode cond_of(const Node& node);
std::vector<Argument> cond_arguments(const CondNode& cond);
// Adds a node; the names of several outputs end in "_0", "_1".
std::vector<ValueId> add_cond(Graph& graph, const CondNode& cond, const std::string& name);

// The `eval`, the `grad` and the `batch` of op `cond`. The gradient is a choice between the
// gradients of both graphs, each of which computes again what it needs of its graph. With a
// condition for each index of the new axis both graphs are computed, each for the indices that
// choose it.
void evaluate_cond(EvalContext& context);
void differentiate_cond(GradContext& context);
void batch_cond(BatchContext& context);

}  // namespace mithril
