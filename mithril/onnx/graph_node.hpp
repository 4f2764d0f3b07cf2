// Nodes with graphs: choices and loops.
#pragma once
#include "mithril/onnx/node_context.hpp"
#include "mithril/onnx/scope.hpp"

namespace mithril::onnx {

// A node with graphs, and the scope whose names its graphs read.
struct GraphNode {
  GraphImport& importer;
  Scope& scope;
  const NodeContext& node;

  // Refused if there is no such attribute.
  const GraphRecord& graph(const char* name) const;
  // The names of a graph of this node, which adds to the model of the workspace.
  Scope inner(const GraphRecord& graph, Workspace& workspace) const;
};

// Whether the node is `If`, `Loop`, `Scan`, `SequenceMap` or `FlexAttention`.
bool is_graph_node(const NodeRecord& node);
Outputs outputs_of_graph_node(const GraphNode& node);
Outputs loop_outputs(const GraphNode& node);
Outputs scan_outputs(const GraphNode& node);
Outputs flex_attention_outputs(const GraphNode& node);

// Outputs of a node of which one is missing. The problems have been noted.
Outputs missing_outputs(const GraphNode& node);
// A tensor of one element as one without axes.
Connection as_scalar(const Connection& x);
// The value as an output of the model of a part. Refused for sequences.
Connection part_output(Workspace& workspace, const Value& value);
void need_type(const std::string& what, ElementType made, ElementType expected);

}  // namespace mithril::onnx
