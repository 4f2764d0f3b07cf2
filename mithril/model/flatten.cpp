#include "mithril/model/flatten.hpp"

#include <algorithm>
#include <bit>

#include "mithril/base/pointer_map.hpp"
#include "mithril/graph/infer_node.hpp"
#include "mithril/graph/wide_integers.hpp"
#include "mithril/infer/distinct_names.hpp"
#include "mithril/infer/shape_window.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/share.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

std::string prefix_of(const Composite& model) {
  const std::string prefix = path(&model);
  return prefix.empty() ? prefix : prefix + '.';
}

std::string without_prefix(std::string name, const std::string& prefix) {
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

class Flattening {
 public:
  Flattening(const Composite& model, DType default_dtype)
      : model_(model), prefix_(prefix_of(model)) {
    graph().set_default_dtype(default_dtype);
  }

  FlatModel run() {
    const std::vector<Part*> ops = all_op_parts(model_);
    add_literals();
    add_inputs();
    reserve(ops);
    add_nodes(ops);
    add_outputs();
    flat_.graph = with_wide_integers(graph());
    return std::move(flat_);
  }

 private:
  Graph& graph() { return flat_.graph; }

  Value value(std::string name, Wire* wire, DType dtype) {
    name.shrink_to_fit();
    Value value{.name = std::move(name), .dims = {}, .dtype = dtype};
    value.ranked = Facts::known(wire->shape, value.dims);
    for (Dim& dim : value.dims) dim = names_.copy(dim);
    return value;
  }

  std::string name_of(Wire* wire) const { return without_prefix(wire_name(wire), prefix_); }

  void add_literals() {
    const Composite* root = &model_;
    while (root->owner) root = static_cast<const Composite*>(root->owner);
    if (!root->extras) return;
    for (const TensorLiteral& literal : root->extras->literals) {
      Wire* wire = top(literal.wire);
      std::string name = name_of(wire);
      if (name.empty()) name = "tensor_" + std::to_string(graph().constants().size());
      const DType given = literal.tensor.dtype();
      const DType kept = is_floating(given)       ? graph().default_dtype()
                         : given == DType::uint64 ? given
                                                  : widened(given);
      ids_[wire] =
          graph().add_constant(name, converted(literal.tensor, wire->dtype.value_or(kept), name));
    }
  }

  static Tensor converted(const Tensor& literal, DType dtype, const std::string& name) {
    if (dtype == literal.dtype()) return literal;
    const Tensor made = literal.to(dtype);
    if (is_floating(dtype) || same_integers(literal.host(), made.host())) return made;
    raise({.kind = ErrorKind::value,
           .code = "E1362",
           .path = name,
           .message = "the tensor has numbers that its dtype " + std::string(mithril::name(dtype)) +
                      " cannot hold",
           .facts = {{"tensor", dtype_and_dims(literal), ""}},
           .help = "state a wider dtype"});
  }

  void add_inputs() {
    std::vector<NamedPort> ports = input_ports(model_, true);
    flat_.inputs.reserve(ports.size());
    for (NamedPort& port : ports) {
      const Kinds kinds = find(port.wire->type)->kinds;
      if (!(kinds & kind::tensor)) continue;  // an unknown value: an error only if a node needs it
      const DType dtype = kinds & kind::float_tensor ? graph().default_dtype()
                          : kinds & kind::int_tensor ? DType::int64
                                                     : DType::boolean;
      const DType stated = port.wire->dtype.value_or(dtype);
      ids_[port.wire] = graph().add_input(value(std::move(port.name), port.wire, stated));
      flat_.inputs.push_back(port.wire);
    }
  }

  void reserve(const std::vector<Part*>& ops) {
    size_t outputs = 0;
    for (const Part* part : ops) outputs += part->output_slots().size();
    graph().reserve(graph().values().size() + outputs, ops.size());
  }

  // Producers first, with an explicit stack.
  void add_nodes(const std::vector<Part*>& ops) {
    enum class State : char { unseen, open, done };
    PointerMap<State> states(ops.size());  // of the parts inside the model
    for (const Part* part : ops) states[part] = State::unseen;
    std::vector<std::pair<Part*, uint32_t>> stack;
    for (Part* start : ops) {
      if (states[start] == State::done) continue;
      stack.emplace_back(start, 0);
      while (!stack.empty()) {
        auto& [part, next] = stack.back();
        states[part] = State::open;
        Part* producer = nullptr;
        while (next < part->input_count && !producer) {
          Wire* wire = part->slots[next++];
          Part* driver = wire ? top(wire)->driver : nullptr;
          const State* state = driver ? states.find(driver) : nullptr;
          if (!state || *state == State::done) continue;
          MITHRIL_CHECK(*state != State::open,
                        "a cycle through " + path(driver) + " was not found while composing");
          producer = driver;
        }
        if (producer) {
          stack.emplace_back(producer, 0);
          continue;
        }
        emit(*part);
        states[part] = State::done;
        stack.pop_back();
      }
    }
  }

  static bool is_tensor(const Wire* wire) { return (find(wire->type)->kinds & kind::tensor) != 0; }

  void emit(Part& part) {
    bool tensor = false;
    for (Wire* wire : part.output_slots()) tensor = tensor || is_tensor(top(wire));
    if (!tensor) return emit_number(part);
    if (emit_made_tensor(part)) return;
    std::vector<Argument> arguments;
    arguments.reserve(part.input_count);
    for (size_t slot = 0; slot < part.input_count; ++slot) {
      arguments.push_back(argument(part, slot));
    }
    Node node{part.op, std::move(arguments), {}};
    const std::vector<DType> dtypes = output_dtypes(graph(), node, part);
    convert_numbers(part, node, dtypes.front());
    size_t k = 0;
    for (Wire* slot : part.output_slots()) {
      Wire* wire = top(slot);
      require_stated(wire, dtypes[k]);
      const ValueId id = graph().add_value(value(name_of(wire), wire, dtypes[k++]));
      ids_[wire] = id;
      node.outputs.push_back(id);
    }
    graph().add_node(std::move(node));
  }

  // An op decides the dtype of its result, so a statement about it can only agree.
  void require_stated(Wire* wire, DType made) const {
    if (!wire->dtype || wire->dtype == made) return;
    const std::string path = name_of(wire);
    raise({.kind = ErrorKind::type,
           .code = "E1363",
           .path = path,
           .message = "'" + path + "' is stated to be another dtype than its op makes",
           .facts = {{"stated", std::string(name(*wire->dtype)), ""},
                     {"made", std::string(name(made)), ""}},
           .help = "cast it, or state the dtypes of the inputs that it is computed from"});
  }

  // Composing has folded all values except numbers that depend on unknown sizes: x.shape[0] ** 0.5.
  // Such a number becomes a tensor of rank 0.
  void emit_number(Part& part) {
    Wire* wire = top(part.output_slots().front());
    const Kinds kinds = find(wire->type)->kinds;
    if (!part.op->eval || known_value(wire) || !std::has_single_bit(kinds)) return;
    if (!(kinds & kind::number)) return;
    std::vector<Argument> arguments;
    for (size_t slot = 0; slot < part.input_count; ++slot) {
      Wire* input = part.slots[slot] ? top(part.slots[slot]) : nullptr;
      if (input && !numbers_.find(input) && !known_value(input)) return;  // not given
      arguments.push_back(argument(part, slot));
      const auto* datum = std::get_if<Datum>(&arguments.back());
      if (input && datum && is_symbolic(*datum) && takes_tensors(part, slot))
        arguments.back() = open_size(input, *datum);
    }
    const ValueId id = graph().add(*part.op, std::move(arguments), name_of(wire)).front();
    numbers_[wire] = id;
    ids_[wire] = id;
  }

  // to_tensor of such a number casts it.
  bool emit_made_tensor(Part& part) {
    if (part.op != &find_op("to_tensor")) return false;
    const ValueId* number = part.slots[0] ? numbers_.find(top(part.slots[0])) : nullptr;
    if (!number) return false;
    Wire* wire = top(part.output_slots().front());
    const Node made{part.op, std::vector<Argument>{Datum(), argument(part, 1)}, {}};
    const Datum dtype = output_dtype(graph(), made, find(wire->type)->kinds);
    ids_[wire] = graph().add(find_op("cast"), {*number, dtype}, name_of(wire)).front();
    return true;
  }

  ValueId open_size(Wire* wire, const Datum& size) {
    if (const ValueId* id = sizes_.find(wire)) return *id;
    return sizes_[wire] = graph().add(find_op("to_tensor"), {size}, name_of(wire)).front();
  }

  static bool takes_tensors(const Part& part, size_t slot) {
    return !part.op->compiled.ports[part.port_of(slot)].value;
  }

  static const Datum* known_value(const Wire* wire) {
    const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
    return value && value->known ? &value->datum : nullptr;
  }

  // Numbers take the dtype of the result, because only their kind affects that dtype.
  void convert_numbers(const Part& part, Node& node, DType dtype) {
    for (size_t slot = 0; slot < part.input_count; ++slot) {
      const ValueId* id = part.slots[slot] ? numbers_.find(top(part.slots[slot])) : nullptr;
      if (!id || tensor_kind(graph().value(*id).dtype) != tensor_kind(dtype)) continue;
      if (graph().value(*id).dtype == dtype) continue;
      node.arguments[slot] =
          graph()
              .add(find_op("cast"), {*id, Datum(dtype)}, graph().value(*id).name + ".cast")
              .front();
    }
  }

  // The output dtypes, with a constant of its kind for each number that depends on open sizes.
  std::vector<DType> output_dtypes(const Graph& graph, Node node, const Part& part) const {
    for (size_t slot = 0; slot < part.input_count; ++slot) {
      const ValueId* id = part.slots[slot] ? numbers_.find(top(part.slots[slot])) : nullptr;
      if (!id) continue;
      const DType dtype = graph.value(*id).dtype;
      node.arguments[slot] = is_floating(dtype)  ? Datum(0.0)
                             : is_integer(dtype) ? Datum(0)
                                                 : Datum(false);
    }
    std::vector<DType> dtypes;
    for (size_t slot = part.input_count; slot < part.slot_count; ++slot) {
      const Kinds kinds = find(top(part.slots[slot])->type)->kinds;
      const size_t port = part.port_of(slot) - part.op->inputs.size();
      dtypes.push_back(part.op->mirrors_list()    ? mirrored_dtype(graph, node, dtypes.size())
                       : states_outputs(*part.op) ? stated_outputs(node)[dtypes.size()].dtype
                                                  : output_dtype(graph, node, kinds, port));
    }
    return dtypes;
  }

  Argument argument(const Part& part, size_t slot) {
    if (!part.slots[slot]) return *part.port_at(slot).fallback;
    Wire* wire = top(part.slots[slot]);
    const ValueId* id = ids_.find(wire);
    if (id && (takes_tensors(part, slot) || !numbers_.find(wire))) return *id;
    if (const Datum* datum = known_value(wire))
      return map_dims(*datum, [&](const Dim& dim) { return names_.copy(dim); });
    refuse_unknown(part, part.port_at(slot).name, wire);
  }

  // Through the parts that compute the value: a tensor of which it reads the shape.
  static Wire* find_unranked(const Wire* wire) {
    const Part* part = wire->driver;
    if (!part || is_tensor(wire)) return nullptr;
    for (Wire* slot : part->input_slots()) {
      Wire* input = slot ? top(slot) : nullptr;
      std::vector<Dim> dims;
      if (!input || known_value(input)) continue;
      if (is_tensor(input) && !Facts::known(input->shape, dims)) return input;
      if (Wire* found = find_unranked(input)) return found;
    }
    return nullptr;
  }

  [[noreturn]] void refuse_unknown(const Part& part, const std::string& port, Wire* wire) const {
    if (Wire* tensor = find_unranked(wire)) {
      const std::string name = name_of(tensor);
      raise({.kind = ErrorKind::value,
             .code = "E0403",
             .path = path(&part),
             .port = port,
             .message = "the value of port '" + port +
                        "' is not known: it follows from the shape of '" + name +
                        "', whose rank is not known",
             .facts = {{name, to_string(ShapeWindow(tensor->shape).shape()), ""}},
             .help = "state the shape: shapes of compile, or set_shapes"});
    }
    const Kinds kinds = find(wire->type)->kinds;
    raise({.kind = ErrorKind::value,
           .code = "E0403",
           .path = path(&part),
           .port = port,
           .message = "the value of port '" + port + "' is not known",
           .facts = {{"kinds", to_string_kinds(kinds), ""}},
           .help = kinds & (kind::string | kind::dtype)
                       ? "a string in a binding is the name of a key; text that is a value is "
                         "Datum(\"...\") in C++ and ml.IOKey(value=\"...\") in Python"
                       : "bind it to a value, or state one with set_values; a string in a binding "
                         "is the name of a key"});
  }

  void add_outputs() {
    for (const NamedPort& port : output_ports(model_)) {
      if (const ValueId* id = ids_.find(port.wire)) graph().add_output(port.name, *id);
    }
    if (!model_.extras) return;
    for (const StateChain& chain : state_chains(model_.extras->states)) {
      require_open(top(chain.first->input));
      const ValueId *in = ids_.find(top(chain.first->input)), *out = ids_.find(top(chain.output));
      MITHRIL_CHECK(in && out, "a state's wires are not in the graph");
      const ValueId next = next_state(*out, graph().value(*in).dtype);
      FlatState state{graph().value(*in).name, graph().value(next).name, chain.first->initial};
      const auto named = [&](const Output& output) { return output.name == state.output; };
      if (std::none_of(graph().outputs().begin(), graph().outputs().end(), named))
        graph().add_output(state.output, next);
      flat_.states.push_back(std::move(state));
    }
  }

  // A state of floats keeps its width from call to call.
  ValueId next_state(ValueId made, DType dtype) {
    const Value& value = graph().value(made);
    if (value.dtype == dtype || !is_floating(value.dtype) || !is_floating(dtype)) return made;
    return graph().add(find_op("cast"), {made, Datum(dtype)}, value.name + ".cast").front();
  }

  // Keys can be merged after a state was bound to one of them.
  void require_open(Wire* state) const {
    if (!state->driver && !is_valued(state)) return;
    raise({.kind = ErrorKind::connection,
           .code = "E0111",
           .path = name_of(state),
           .message = "a state needs an open input, and this one has got a source",
           .help = "evaluate gives a state its value: connect nothing to it"});
  }

  const Composite& model_;
  std::string prefix_;
  FlatModel flat_;
  DistinctNames names_{*graph().facts()};
  PointerMap<ValueId> ids_;      // by wire
  PointerMap<ValueId> numbers_;  // the part of `ids_` that composing sees as values
  PointerMap<ValueId> sizes_;    // symbolic ints as tensors
};

}  // namespace

std::string name_in_graph(const Composite& model, Wire* wire) {
  return without_prefix(wire_name(top(wire)), prefix_of(model));
}

FlatModel flatten(const Model& model, DType default_dtype) {
  const std::shared_ptr<Composite> composite = model.composite();
  return Flattening(*composite, default_dtype).run();
}

}  // namespace mithril
