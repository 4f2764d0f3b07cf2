// The outputs of a node: inferred as in models (patterns, relations, solve), in scratch facts, of
// which only the result is kept.
#include "mithril/graph/infer_node.hpp"

#include <algorithm>
#include <optional>

#include "mithril/base/interrupt.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"

namespace mithril {
namespace {

DType widest(const Graph& graph, const std::vector<Argument>& arguments, Kinds kind,
             DType otherwise) {
  std::optional<DType> best;
  for (const Argument& argument : arguments) {
    const ValueId* id = tensor_of(argument);
    if (!id || tensor_kind(graph.value(*id).dtype) != kind) continue;
    best = best ? promote(*best, graph.value(*id).dtype) : graph.value(*id).dtype;
  }
  return best.value_or(otherwise);
}

// Whether the elements of the input port are among those of the output port.
bool flows(const CompiledPorts::Port& from, const CompiledPorts::Port& to) {
  if (to.type < 0 && to.left < 0) return to.kinds != kind::int_tensor;
  return from.type >= 0 && (from.type == to.type || from.type == to.left || from.type == to.right);
}

// The widest int of the inputs whose elements the output has. An output of indices or counts has
// none, and does not become narrower than int32. An output counts if the tensor that would state
// its dtype (OpDef::dtype_from) is left out.
DType widest_int(const Graph& graph, const Node& node, size_t port) {
  const CompiledPorts& ports = node.op->compiled;
  const CompiledPorts::Port& to = ports.ports[node.op->inputs.size() + port];
  const bool is_index =
      !node.op->dtype_from.empty() || (to.type < 0 && to.left < 0 && to.kinds == kind::int_tensor);
  std::vector<Argument> counted;
  size_t at = 0;
  for (size_t input = 0; input < node.op->inputs.size(); ++input) {
    const bool is_counted = is_index || flows(ports.ports[input], to);
    for (size_t n = node.op->inputs[input].list ? node.list_size() : 1; n > 0; --n, ++at) {
      const ValueId* id = tensor_of(node.arguments[at]);
      const bool is_stored = id && is_stored_only(graph.value(*id).dtype);
      if (is_counted && !(is_index && is_stored)) counted.push_back(node.arguments[at]);
    }
  }
  return widest(graph, counted, kind::int_tensor, DType::int64);
}

// The output port of an output, among which list outputs are spread out.
size_t output_port(const OpDef& op, size_t item, const Node& node) {
  const int list = op.list_output();
  if (list < 0 || item < static_cast<size_t>(list)) return item;
  const size_t size = output_list_size(node);
  return item < static_cast<size_t>(list) + size ? static_cast<size_t>(list) : item - size + 1;
}

// The widest float of the list; the default dtype without floats.
DType widest_of_list(const Graph& graph, const Node& node) {
  const auto first = node.arguments.begin() +
                     static_cast<std::ptrdiff_t>(node.argument_index(node.op->dtype_from));
  const std::vector<Argument> items(first, first + static_cast<std::ptrdiff_t>(node.list_size()));
  return widest(graph, items, kind::float_tensor, graph.default_dtype());
}

class NodeInference {
 public:
  NodeInference(const Graph& graph, const Node& node)
      : graph_(graph), node_(node), op_(*node.op), arguments_(node.arguments) {
    facts_.decorate = decorate_error;
  }

  std::vector<Value> run() {
    part_.op = &op_;
    std::vector<Wire*> wires;
    for (const Argument& argument : arguments_) wires.push_back(wire(argument));
    const std::vector<int> counts = list_counts();
    instantiate(facts_, part_, counts, wires);
    facts_.settle();
    name_symbols();
    std::vector<Value> outputs;
    for (Wire* wire : part_.output_slots()) outputs.push_back(output(top(wire), outputs.size()));
    return outputs;
  }

 private:
  Dim enter(const Dim& dim) { return rename(dim, entered_, facts_); }

  Wire* wire(const Argument& argument) {
    Wire* wire = facts_.make<Wire>();
    if (const ValueId* id = tensor_of(argument)) {
      const Value& value = graph_.value(*id);
      wire->type = facts_.type(tensor_kind(value.dtype));
      if (!value.ranked) {
        wire->shape.run = facts_.run();
        return wire;
      }
      std::vector<Dim> dims;
      for (const Dim& dim : value.dims) dims.push_back(enter(dim));
      wire->shape = facts_.store(dims);
      return wire;
    }
    const Datum datum =
        map_dims(std::get<Datum>(argument), [&](const Dim& dim) { return enter(dim); });
    wire->type = facts_.type(datum.kind());
    if (datum.is_none())
      wire->shape.run = facts_.run();  // the tensor that is not there has any shape
    facts_.set(value_of(facts_, wire), datum);
    return wire;
  }

  std::vector<int> list_counts() const {
    std::vector<int> counts;
    if (op_.list_input() >= 0) counts.push_back(static_cast<int>(node_.list_size()));
    if (op_.list_output() >= 0) counts.push_back(static_cast<int>(output_list_size(node_)));
    return counts;
  }

  // The graph's own symbols keep their identity on the way back.
  void name_symbols() {
    std::vector<std::pair<Symbol*, Dim>> entered(entered_.begin(), entered_.end());
    std::sort(entered.begin(), entered.end(),
              [](const auto& a, const auto& b) { return a.first->age < b.first->age; });
    for (const auto& [symbol, dim] : entered) {
      const Dim now = resolve(dim);
      if (now.symbol()) left_.emplace(now.symbol(), Dim(symbol));
    }
  }

  Dim leave(const Dim& dim) { return resolve(rename(dim, left_, *graph_.facts())); }

  Value output(const Wire* wire, size_t item) {
    if (states_outputs(op_)) return stated_outputs(node_)[item];
    Value value;
    value.ranked = Facts::known(wire->shape, value.dims);
    for (Dim& dim : value.dims) dim = leave(dim);
    value.dtype = op_.mirrors_list() ? mirrored_dtype(graph_, node_, item)
                                     : output_dtype(graph_, node_, find(wire->type)->kinds,
                                                    output_port(op_, item, node_));
    return value;
  }

 private:
  const Graph& graph_;
  const Node& node_;
  const OpDef& op_;
  const std::vector<Argument>& arguments_;
  Facts facts_;
  Part part_;
  Renaming entered_, left_;
};

}  // namespace

bool states_outputs(const OpDef& op) {
  return !op.outputs_from.empty() && op.outputs_from == op.dtype_from && !op.mirrors_list();
}

size_t output_list_size(const Node& node) {
  if (node.op->outputs_from.empty()) return 1;
  if (node.op->mirrors_list()) return node.list_size();
  return std::get<Datum>(node.arguments[node.argument_index(node.op->outputs_from)]).tuple().size();
}

DType mirrored_dtype(const Graph& graph, const Node& node, size_t item) {
  const size_t first = node.argument_index(node.op->outputs_from);
  return graph.value(*tensor_of(node.arguments[first + item])).dtype;
}

DType output_dtype(const Graph& graph, const Node& node, Kinds kinds, size_t port) {
  kinds &= kind::tensor;
  MITHRIL_CHECK(kinds != 0,
                "op " + node.op->name + " makes a value, not a tensor: it has no place in a graph");
  if (node.op->dtype_from == "at least float32") {
    const DType given = widest(graph, node.arguments, kind::float_tensor, graph.default_dtype());
    return promote(given, DType::float32);
  }
  const int list = node.op->list_input();
  if (list >= 0 && node.op->inputs[static_cast<size_t>(list)].name == node.op->dtype_from)
    return widest_of_list(graph, node);
  if (!node.op->dtype_from.empty()) {
    const Argument& from = node.arguments[node.argument_index(node.op->dtype_from)];
    const auto* datum = std::get_if<Datum>(&from);
    if (!datum) return graph.value(*tensor_of(from)).dtype;
    if (datum->kind() == kind::dtype && (tensor_kind(datum->dtype()) & kinds))
      return datum->dtype();
  }
  if (kinds & kind::float_tensor)
    return widest(graph, node.arguments, kind::float_tensor, graph.default_dtype());
  if (kinds & kind::int_tensor) return widest_int(graph, node, port);
  return DType::boolean;
}

std::vector<Value> infer_in_facts(const Graph& graph, const Node& node) {
  return NodeInference(graph, node).run();
}

std::vector<Value> stated_outputs(const Node& node) {
  const size_t at = node.argument_index(node.op->outputs_from);
  std::vector<Value> outputs;
  for (const Datum& item : std::get<Datum>(node.arguments[at]).tuple()) {
    const Tuple& stated = item.tuple();
    Value value{.name = {}, .dims = {}, .dtype = stated[0].dtype()};
    for (const Datum& dim : stated[1].tuple()) value.dims.push_back(resolve(dim.dim()));
    outputs.push_back(std::move(value));
  }
  return outputs;
}

std::vector<Value> infer_node(const Graph& graph, const Node& node) {
  if (auto matched = match_node(graph, node)) return *std::move(matched);
  return infer_in_facts(graph, node);
}

std::vector<ValueId> Graph::add(const OpDef& op, std::vector<Argument> arguments,
                                std::string name) {
  MITHRIL_CHECK(op.list_input() >= 0 || arguments.size() <= op.inputs.size(),
                "too many arguments for op " + op.name);
  for (size_t i = arguments.size(); op.list_input() < 0 && i < op.inputs.size(); ++i) {
    MITHRIL_CHECK(op.inputs[i].fallback.has_value(),
                  "op " + op.name + " needs its input '" + op.inputs[i].name + "'");
    arguments.emplace_back(*op.inputs[i].fallback);
  }
  check_interrupt();
  Node node{&op, std::move(arguments), {}};
  std::vector<Value> made = infer_node(*this, node);
  for (size_t i = 0; i < made.size(); ++i) {
    made[i].name = made.size() == 1 ? name : name + "_" + std::to_string(i);
    node.outputs.push_back(add_value(std::move(made[i])));
  }
  std::vector<ValueId> outputs = node.outputs;
  nodes_.push_back(std::move(node));
  return outputs;
}

}  // namespace mithril
