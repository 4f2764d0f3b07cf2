// FlexAttention of the domain ai.onnx.preview: attention with graphs that change the scores and the
// weights.
#include "mithril/onnx/graph_node.hpp"
#include "mithril/onnx/heads.hpp"

namespace mithril::onnx {
namespace {

// The result of the graph for this tensor. Nothing if the graph cannot be imported.
std::optional<Connection> changed(const GraphNode& at, const char* name, const Connection& x,
                                  ElementType type) {
  if (!at.node.attribute(name)) return x;
  const GraphRecord& graph = at.graph(name);
  if (graph.inputs.size() != 1 || graph.outputs.size() != 1)
    refuse(std::string("its ") + name + " has " + std::to_string(graph.inputs.size()) +
           " inputs and " + std::to_string(graph.outputs.size()) + " outputs, expected one each");
  Scope inner = at.inner(graph, *at.scope.workspace);
  inner.values[graph.inputs.front().name] = Value(x, type);
  at.importer.open(inner);
  const Value made = at.importer.need(inner, graph.outputs.front().name);
  if (made.is_missing) return std::nullopt;
  if (made.is_sequence || made.is_empty || made.count)
    refuse(std::string("its ") + name + " makes no tensor of known sizes");
  need_type(std::string("the output of its ") + name, made.type, type);
  return at.scope.workspace->connection(made);
}

// The softmax of halves is computed as float32, unless the node states another type.
ElementType softmax_type(const NodeContext& node) {
  const bool is_half = size_of(*held_dtype(node.type())) == 2;
  const ElementType type =
      element_type(node, "softmax_precision", is_half ? ElementType::float32 : node.type());
  if (!is_float(type)) refuse("its softmax_precision is " + name_of(type));
  return type;
}

}  // namespace

Outputs flex_attention_outputs(const GraphNode& at) {
  const NodeContext& node = at.node;
  for (const std::size_t i : {0, 1, 2}) {
    node.need_rank(i, 4, 4);
    if (!is_float(node.type(i)))
      refuse("its input is " + name_of(node.type(i)) + ", and it computes with floats");
  }
  const ElementType type = softmax_type(node);
  const Heads heads = aligned({node[0], node[1], node[2]});
  const auto scores = changed(at, "score_mod", converted(scaled_products(node, heads), type), type);
  if (!scores) return missing_outputs(at);
  const auto weights = changed(at, "prob_mod", apply("softmax", {*scores, -1}), type);
  if (!weights) return missing_outputs(at);
  const Connection result = matmul(*weights, converted(heads.values, type));
  return {Value(converted(result, node.type(2)), node.type(2))};
}

}  // namespace mithril::onnx
