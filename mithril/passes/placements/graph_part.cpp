#include "mithril/passes/placements/graph_part.hpp"

namespace mithril {

Graph GraphPart::copy() const {
  std::vector<bool> is_input(values);
  std::vector<const Tensor*> constants(values, nullptr);  // per value; null: it is none
  for (const ValueId id : graph.inputs()) {
    if (has(id)) is_input[index(id)] = true;
  }
  for (const Constant& constant : graph.constants()) {
    if (has(constant.value)) constants[index(constant.value)] = &constant.tensor;
  }
  Graph copied;
  copied.share_facts(graph);
  copied.set_default_dtype(graph.default_dtype());
  copied.reserve(values, nodes);
  for (size_t i = 0; i < values; ++i) {
    const Value& value = graph.values()[i];
    if (is_input[i]) {
      copied.add_input(value);
    } else if (constants[i]) {
      copied.add_constant(value.name, *constants[i]);
    } else {
      copied.add_value(value);
    }
  }
  for (size_t i = 0; i < nodes; ++i) copied.add_node(graph.nodes()[i]);
  for (const Output& output : outputs) copied.add_output(output.name, output.value);
  return copied;
}

}  // namespace mithril
