// The graph of a node of ONNX: the body of a loop, or a branch.
#pragma once
#include <set>
#include <string>

#include "mithril/onnx/export/graph_builder.hpp"

namespace mithril::onnx {

// It may read values of the graph around it.
class NestedGraph {
 public:
  explicit NestedGraph(GraphBuilder& outer);

  GraphBuilder& builder() { return builder_; }
  Operand add_input(const std::string& name, DType dtype, bool is_number = false);
  // The outputs of such a graph have names that are not names of inputs.
  void add_output(const Operand& operand, DType dtype);
  AttributeValue finish();

 private:
  GraphBuilder& outer_;
  GraphBuilder builder_;
};

// Adds the names that a node reads, those of the nodes of its graphs included.
void add_read_names(const WrittenNode& node, std::set<std::string>& read);
// Removes nodes and initializers that no output depends on.
void drop_unread(WrittenGraph& graph);

}  // namespace mithril::onnx
