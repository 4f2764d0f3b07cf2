#include "mithril/graph/half_precision.hpp"

#include <algorithm>
#include <unordered_map>

#include "mithril/graph/expression.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

bool has_half_precision(const Value& value) {
  return value.dtype == DType::float16 || value.dtype == DType::bfloat16;
}

bool computes_elements(const OpDef& op) {
  if (op.cast != CastPolicy::promote) return true;
  const CompiledPorts::Port& output = op.compiled.ports[op.inputs.size()];
  if (output.left >= 0) return true;
  const Kinds kinds =
      output.type >= 0 ? op.compiled.type_kinds[static_cast<size_t>(output.type)] : output.kinds;
  return (kinds & kind::bool_tensor) == 0;
}

bool rounds_between(const Graph& graph, size_t first) {
  std::unordered_map<ValueId, bool> rounded;  // values of these nodes
  for (size_t i = first; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const bool reads_rounded =
        std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
          const ValueId* id = tensor_of(argument);
          const auto found = id ? rounded.find(*id) : rounded.end();
          return found != rounded.end() && found->second;
        });
    const bool computes = computes_elements(*node.op);
    if (reads_rounded && computes) return true;
    for (const ValueId id : node.outputs)
      rounded[id] = reads_rounded || (computes && has_half_precision(graph.value(id)));
  }
  return false;
}

ValueId WideArithmetic::cast(ValueId id, DType to) {
  return call("cast", {Expression{&graph_, id, &scope_}, Datum(to)}).id;
}

ValueId WideArithmetic::widened(ValueId id) {
  return has_half_precision(graph_.value(id)) ? cast(id, DType::float32) : id;
}

Node WideArithmetic::widened(Node node) {
  for (Argument& argument : node.arguments) {
    if (const ValueId* id = tensor_of(argument)) argument = widened(*id);
  }
  return node;
}

ValueId WideArithmetic::narrowed(ValueId id, DType to) {
  return graph_.value(id).dtype == to ? id : cast(id, to);
}

}  // namespace mithril
