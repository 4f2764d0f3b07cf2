#include "mithril/onnx/export/nested_graph.hpp"

#include <algorithm>
#include <utility>

namespace mithril::onnx {

void add_read_names(const WrittenNode& node, std::set<std::string>& read) {
  read.insert(node.inputs.begin(), node.inputs.end());
  for (const auto& [name, attribute] : node.attributes) {
    const auto* graph = std::get_if<std::shared_ptr<const WrittenGraph>>(&attribute);
    if (!graph) continue;
    for (const WrittenNode& nested : (*graph)->nodes) add_read_names(nested, read);
  }
}

NestedGraph::NestedGraph(GraphBuilder& outer)
    : outer_(outer), builder_(outer.names(), outer.opset()) {
  builder_.graph().name = outer.names().add("body");
}

Operand NestedGraph::add_input(const std::string& name, DType dtype, bool is_number) {
  const std::string free = outer_.names().add(name);
  builder_.graph().inputs.push_back({.name = free, .dtype = dtype, .is_ranked = is_number});
  return {.name = free, .dtype = dtype};
}

void NestedGraph::add_output(const Operand& operand, DType dtype) {
  const Operand made = builder_.call("Identity", {builder_.cast(operand, dtype)});
  WrittenValue output{.name = made.name, .dtype = dtype, .is_ranked = operand.dims.has_value()};
  // ONNX Runtime does not run a `Scan` if it knows no rank of an output of the body, and it infers
  // none of the results of a `Loop`.
  if (operand.dims) {
    for (const Dim& dim : *operand.dims) {
      const Dim size = resolve(dim);
      output.dims.push_back(size.is_constant() ? StatedDim(size.constant()) : StatedDim());
    }
  }
  builder_.graph().outputs.push_back(std::move(output));
}

AttributeValue NestedGraph::finish() {
  drop_unread(builder_.graph());
  return std::make_shared<const WrittenGraph>(std::move(builder_.graph()));
}

void drop_unread(WrittenGraph& graph) {
  std::set<std::string> read;
  for (const WrittenValue& output : graph.outputs) read.insert(output.name);
  std::vector<WrittenNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_read = std::any_of(node->outputs.begin(), node->outputs.end(),
                                     [&](const std::string& name) { return read.contains(name); });
    if (!is_read) continue;
    const bool has_optional = node->op == "LayerNormalization" || node->op == "MaxPool";
    while (has_optional && node->outputs.size() > 1 && !read.contains(node->outputs.back()))
      node->outputs.pop_back();
    add_read_names(*node, read);
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  std::erase_if(graph.initializers,
                [&](const WrittenTensor& tensor) { return !read.contains(tensor.name); });
}

}  // namespace mithril::onnx
