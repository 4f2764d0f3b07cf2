#include "codegen/common/node_text.hpp"

#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

// A comparison is computed in the dtype that holds all its operands. A float value takes the width
// of a float tensor.
DType computed_in(const Graph& graph, const Node& node, const PlannedNode& planned) {
  const DType output = graph.value(node.outputs.front()).dtype;
  if (output != DType::boolean) return output;
  DType widest = DType::boolean;
  for (const int32_t at : planned.tensors) {
    if (at >= 0) widest = promote(widest, graph.value(static_cast<ValueId>(at)).dtype);
  }
  for (const Datum& value : planned.values) {
    if (value.kind() == kind::float_value && !is_floating(widest)) widest = DType::float64;
    if (value.kind() == kind::int_value && !is_floating(widest)) widest = DType::int64;
  }
  return widest;
}

}  // namespace

std::optional<FormulaText> node_formula(const Graph& graph, size_t node, const PlannedNode& planned,
                                        const Language& language,
                                        const std::function<std::string(ValueId)>& element,
                                        bool wide) {
  const Node& at = graph.nodes()[node];
  const Spelling* spelling = at.op->spelling("c");
  if (!spelling || spelling->text.starts_with("unsupported:")) return std::nullopt;
  if (at.outputs.size() != 1) return std::nullopt;
  const auto port = [&](const std::string& name) {
    const size_t argument = at.argument_index(name);
    const int32_t tensor = planned.tensors[argument];
    if (tensor < 0) return FormulaPort{.value = planned.values[argument]};
    const auto id = static_cast<ValueId>(tensor);
    return FormulaPort{.element = element(id), .dtype = graph.value(id).dtype};
  };
  return language.formula(parse_formula(spelling->text),
                          {.computed = computed_in(graph, at, planned),
                           .output = graph.value(at.outputs.front()).dtype,
                           .port = port,
                           .wide = wide});
}

}  // namespace mithril::codegen
