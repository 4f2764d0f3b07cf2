// Nodes of op `while_loop`: loops that a condition ends.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class BatchContext;
class EvalContext;
class GradContext;

// What a node of op `while_loop` says. Both graphs have the arguments as inputs, in their order:
// the carries, then values that every step reads. The condition makes a scalar bool. While it is
// true, the body makes the next carries.
struct WhileNode {
  Graph condition, body;
  std::vector<ValueId> arguments = {};

  size_t carries() const { return body.outputs().size(); }
};

bool is_while(const Node& node);
WhileNode while_of(const Node& node);
std::vector<Argument> while_arguments(const Graph& graph, const WhileNode& loop);
// Adds a node. Its outputs are the last carries; the names of several ones end in "_0", "_1".
std::vector<ValueId> add_while(Graph& graph, const WhileNode& loop, const std::string& name);

void evaluate_while(EvalContext& context);
// The gradient is a node of op `while_gradient`. The gradient of that node with respect to the
// incoming gradients is the derivative in a direction: a loop whose carries have tangents.
void differentiate_while(GradContext& context);
void differentiate_while_gradient(GradContext& context);
bool has_while_gradient(const Graph& graph);  // or a graph in it
// Drops unread nodes. GradientError E0501 if an output reads a `while_gradient`, which would keep
// values of an unbounded number of steps. Returns a graph without such nodes unchanged.
Graph without_while_gradients(Graph graph);
// With a condition for each index of the new axis the loop runs while one of them is true. An index
// whose condition is false keeps its carries.
void batch_while(BatchContext& context);
void batch_while_gradient(BatchContext& context);

}  // namespace mithril
