// Nodes of op `scan`: loops over a graph, their body.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/graph/grad_context.hpp"

namespace mithril {

// What a node of op `scan` says. The inputs of the body are those of one step, in the order of the
// arguments: the carries, the elements of the sequences, and the values that every step reads. Its
// outputs are the next carries, then the values of the step that are stacked. Sequences and stacks
// have the steps along axis 0.
struct ScanLoop {
  Graph body;
  size_t carries = 0, sequences = 0;
  Datum length;          // an int
  bool reverse = false;  // the last step comes first
  std::vector<ValueId> arguments = {};
  // How running_steps() counts the steps. A loop over the steps of one segment adds its own to the
  // number of the loop over segments, which counts the steps before each segment.
  Datum numbers = {};

  size_t stacks() const { return body.outputs().size() - carries; }
};

// The numbers of a loop: of its first step, from one step to the next, and whether they are added
// to the number of the loop around it.
Datum step_numbers(const Dim& first, int64_t stride, bool added);

bool is_scan(const Node& node);
ScanLoop scan_of(const Node& node);
size_t carries_of_scan(const Node& node);
ScanLoop scan_of(const NodeContext& context);
// Adds a node. Its outputs are the last carries, then the stacks; the names of several outputs end
// in "_0", "_1". ShapeError E0209 if a size of an output follows from no argument.
std::vector<ValueId> add_scan(Graph& graph, const ScanLoop& scan, const std::string& name);
// The arguments of such a node, and its outputs without names.
std::vector<Argument> scan_arguments(const Graph& graph, const ScanLoop& scan);
std::vector<Value> scan_outputs(const Graph& graph, const ScanLoop& scan);

// For a node that each step of a loop runs. `of_step`, per value: a step makes it. ConnectionError
// E0131 for an op that exchanges values with other processes, and for a random op whose key no step
// changes.
void check_node_of_step(const Graph& graph, const Node& node, const std::vector<bool>& of_step);

}  // namespace mithril
