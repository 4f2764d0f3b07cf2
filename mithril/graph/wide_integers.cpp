#include "mithril/graph/wide_integers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "mithril/graph/infer_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// Adding it modulo 2^64 maps the order of uint64 to the order of int64.
constexpr int64_t least_int64 = std::numeric_limits<int64_t>::min();

// Replaces each dtype in the value by its compute dtype.
Datum in_computed_dtypes(const Datum& datum) {
  if (datum.kind() == kind::dtype) return mithril::widened(datum.dtype());
  if (datum.kind() != kind::tuple) return datum;
  Tuple items;
  for (const Datum& item : datum.tuple()) items.push_back(in_computed_dtypes(item));
  return Datum(std::move(items));
}

bool fits_int32(int64_t number) {
  return number >= std::numeric_limits<int32_t>::min() &&
         number <= std::numeric_limits<int32_t>::max();
}

// Casts, observers, transforms, loops and choices, and the marks of their parts take tensors of any
// dtype.
bool passes_on(const Node& node) {
  const OpDef& op = *node.op;
  return &op == &find_op("cast") || &op == &find_op("bit_cast") || op.opaque || op.transform ||
         has_nested_graphs(node) || op.name.starts_with("scan_") ||
         op.name.starts_with("branch_") || (!op.eval && !op.expand);
}

// Whether the op would compute a tensor as int32, and has a number that int32 does not hold.
bool exceeds_int32(const Graph& graph, const Node& node) {
  bool has_int32 = false, has_larger = false;
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    const Datum* datum = std::get_if<Datum>(&argument);
    if (id && mithril::widened(graph.value(*id).dtype) == DType::int32) has_int32 = true;
    if (datum && datum->kind() == kind::int_value && !is_symbolic(*datum))
      has_larger = has_larger || !fits_int32(datum->integer());
  }
  return has_int32 && has_larger;
}

// What the op of a node does with integers. An op that reduces by a maximum or a minimum compares.
IntegerUse integer_use(const Node& node) {
  const auto is_extremum = [](const Argument& argument) {
    const Datum* datum = std::get_if<Datum>(&argument);
    return datum && datum->kind() == kind::string &&
           (datum->text() == "amax" || datum->text() == "amin");
  };
  const bool compares = std::any_of(node.arguments.begin(), node.arguments.end(), is_extremum);
  return compares ? IntegerUse::order : node.op->integers;
}

// How the op of a node is computed.
struct OpWidth {
  bool is_huge = false;     // it has a uint64 operand or result
  bool is_shifted = false;  // uint64 is shifted by 2^63
  bool is_int64 = false;    // it has a number that int32 does not hold
};

class Widening {
 public:
  explicit Widening(const Graph& graph) : from_(graph), map_(graph.values().size()) {
    to_.share_facts(graph);
    to_.set_default_dtype(graph.default_dtype());
  }

  Graph run() {
    for (const ValueId id : from_.inputs()) map_[index(id)] = to_.add_input(from_.value(id));
    for (const Constant& constant : from_.constants()) {
      map_[index(constant.value)] =
          to_.add_constant(from_.value(constant.value).name, constant.tensor);
    }
    for (const Node& node : from_.nodes()) {
      if (passes_on(node) || !(any_stored_only(node) || exceeds_int32(from_, node))) {
        add(mapped(node), node.outputs);
      } else {
        widen(node);
      }
    }
    for (const Output& output : from_.outputs())
      to_.add_output(output.name, map_[index(output.value)]);
    return std::move(to_);
  }

 private:
  DType dtype(ValueId id) const { return from_.value(id).dtype; }

  Node mapped(const Node& node) const {
    Node made{node.op, node.arguments, {}};
    for (Argument& argument : made.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) *id = map_[index(*id)];
    }
    return made;
  }

  // A node of the new graph that makes these values of the old one.
  void add(Node node, const std::vector<ValueId>& outputs) {
    for (const ValueId old : outputs) {
      map_[index(old)] = to_.add_value(from_.value(old));
      node.outputs.push_back(map_[index(old)]);
    }
    to_.add_node(std::move(node));
  }

  bool any(const Node& node, bool (*is)(DType)) const {
    const auto is_argument = [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return id && is(dtype(*id));
    };
    return std::any_of(node.arguments.begin(), node.arguments.end(), is_argument) ||
           std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return is(dtype(id)); });
  }
  bool any_stored_only(const Node& node) const { return any(node, is_stored_only); }

  void widen(const Node& node) {
    OpWidth width;
    width.is_huge = any(node, [](DType dtype) { return dtype == DType::uint64; });
    width.is_shifted = width.is_huge && integer_use(node) == IntegerUse::order;
    width.is_int64 = exceeds_int32(from_, node);
    Node wide = mapped(node);
    size_t at = 0;
    for (size_t port = 0; port < node.op->inputs.size(); ++port) {
      for (size_t n = node.op->inputs[port].list ? node.list_size() : 1; n > 0; --n, ++at)
        widen_argument(node, port, width, wide.arguments[at]);
    }
    add_wide(node, std::move(wide), width.is_shifted);
  }

  void widen_argument(const Node& node, size_t port, const OpWidth& width, Argument& argument) {
    const ValueId* id = std::get_if<ValueId>(&argument);
    if (id && is_low_bit(to_.value(*id).dtype)) {
      const DType given = to_.value(*id).dtype;
      if (!moves_elements(node.op->compiled.ports[port], *node.op)) refuse(node, port, given);
      argument = as(*id, computed(*id));
    } else if (id && width.is_huge) {
      widen_huge(node, port, argument);
    } else if (id) {
      argument = as(*id, computed(*id, width.is_int64));
    } else {
      argument = in_computed_dtypes(std::get<Datum>(argument));
      const bool is_operand = !node.op->compiled.ports[port].value;
      if (width.is_shifted && is_operand) shift_number(node, port, argument);
    }
  }

  DType computed(ValueId id, bool is_int64 = false) const {
    const DType wide = mithril::widened(to_.value(id).dtype);
    return is_int64 && wide == DType::int32 ? DType::int64 : wide;
  }

  // An operand of an op with a uint64 operand or result.
  void widen_huge(const Node& node, size_t port, Argument& argument) {
    const ValueId id = std::get<ValueId>(argument);
    const DType given = to_.value(id).dtype;
    const CompiledPorts::Port& pattern = node.op->compiled.ports[port];
    const IntegerUse use = integer_use(node);
    const bool is_index = pattern.type < 0 && (pattern.kinds & kind::tensor) == kind::int_tensor;
    if (is_index) {
      argument = as(id, computed(id));
    } else if (use == IntegerUse::order) {
      if (!is_unsigned(given) && given != DType::boolean) refuse(node, port, given);
      const std::string name = to_.value(id).name;  // adding a value moves it
      argument = shifted(as(id, DType::int64), name);
    } else if (given != DType::uint64) {
      argument = as(id, computed(id));
    } else if (has_floats(node)) {
      argument = as(id, dtype(node.outputs.front()));
    } else if (use == IntegerUse::bits || moves_elements(pattern, *node.op)) {
      argument = as(id, DType::int64);
    } else {
      refuse(node, port, given);
    }
  }

  // Whether the op moves tensors of any kind at the port, and does not compute with them. The
  // outputs of such an op have the kind of an input.
  static bool moves_elements(const CompiledPorts::Port& port, const OpDef& op) {
    const Kinds kinds =
        port.type >= 0 ? op.compiled.type_kinds[static_cast<size_t>(port.type)] : port.kinds;
    const bool is_operand = kinds != kind::any && (kinds & kind::number);
    const auto first = op.compiled.ports.begin() + static_cast<std::ptrdiff_t>(op.inputs.size());
    const bool is_moved =
        std::all_of(first, op.compiled.ports.end(), [](const CompiledPorts::Port& output) {
          return output.type >= 0 ||
                 (output.left < 0 && (output.kinds & kind::tensor) == kind::tensor);
        });
    return is_moved && (kinds & kind::tensor) == kind::tensor && !is_operand;
  }

  bool has_floats(const Node& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return is_floating(dtype(id)); });
  }

  [[noreturn]] void refuse(const Node& node, size_t port, DType given) const {
    const bool is_mixed = given != DType::uint64 && !is_low_bit(given);
    raise({.kind = ErrorKind::type,
           .code = is_low_bit(given) ? "E1365" : "E1361",
           .path = from_.value(node.outputs.front()).name,
           .port = node.op->inputs[port].name,
           .message = node.op->name + ": port '" + node.op->inputs[port].name + "' takes no " +
                      std::string(name(given)) + (is_mixed ? " beside uint64" : ""),
           .help = is_low_bit(given)
                       ? "cast it to " + std::string(name(mithril::widened(given))) + " first"
                       : "cast it to int64 or to a float first, if its numbers fit"});
  }

  void shift_number(const Node& node, size_t port, Argument& argument) {
    const auto& datum = std::get<Datum>(argument);
    if (datum.is_none()) return;
    const bool fits = (datum.kind() & (kind::int_value | kind::bool_value)) &&
                      !is_symbolic(datum) && datum.integer() >= 0;
    if (!fits) {
      raise({.kind = ErrorKind::type,
             .code = "E1361",
             .path = from_.value(node.outputs.front()).name,
             .port = node.op->inputs[port].name,
             .message = node.op->name + ": port '" + node.op->inputs[port].name + "' takes no " +
                        to_string(datum) + " beside uint64",
             .help = "give an int that is not negative"});
    }
    argument = Datum(datum.integer() + least_int64);
  }

  ValueId shifted(ValueId id, const std::string& name) {
    return to_.add(find_op("bitwise_xor"), {id, Datum(least_int64)}, fresh(name, "order")).front();
  }

  ValueId as(ValueId id, DType wide) {
    const Value& value = to_.value(id);
    if (value.dtype == wide) return id;
    const auto [known, is_new] = held_.try_emplace({id, wide});
    if (is_new) known->second = cast(id, wide, fresh(value.name, "as_" + std::string(name(wide))));
    return known->second;
  }

  ValueId cast(ValueId id, DType to, const std::string& name) {
    return to_.add(find_op("cast"), {id, Datum(to)}, name).front();
  }

  // A name that no value has.
  std::string fresh(const std::string& name, const std::string& suffix) {
    if (names_.empty()) {
      for (const Value& value : from_.values()) names_[value.name] = 1;
    }
    std::string made = name + "." + suffix;
    while (names_[made]++ > 0) made += "_";
    return made;
  }

  void add_wide(const Node& node, Node wide, bool is_shifted) {
    const std::vector<Value> inferred = infer_node(to_, wide);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Value value = from_.value(node.outputs[i]);
      const bool is_same = inferred[i].dtype == value.dtype;
      if (!is_same) value.name = fresh(value.name, "as_" + std::string(name(inferred[i].dtype)));
      value.dtype = inferred[i].dtype;
      wide.outputs.push_back(to_.add_value(std::move(value)));
    }
    const std::vector<ValueId> made = wide.outputs;
    to_.add_node(std::move(wide));
    for (size_t i = 0; i < made.size(); ++i) {
      const Value& wanted = from_.value(node.outputs[i]);
      ValueId result = made[i];
      if (to_.value(result).dtype == wanted.dtype) {
        map_[index(node.outputs[i])] = result;
        continue;
      }
      if (is_shifted && is_unsigned(wanted.dtype)) result = shifted(result, wanted.name);
      add({&find_op("cast"), {result, Datum(wanted.dtype)}, {}}, {node.outputs[i]});
    }
  }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> map_;  // of the old values
  std::map<std::pair<ValueId, DType>, ValueId> held_;
  std::map<std::string, int> names_;
};

}  // namespace

Graph with_wide_integers(const Graph& graph) {
  const std::vector<Value>& values = graph.values();
  const std::vector<Node>& nodes = graph.nodes();
  const bool any = std::any_of(values.begin(), values.end(),
                               [](const Value& value) { return is_stored_only(value.dtype); }) ||
                   std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
                     return exceeds_int32(graph, node) && !passes_on(node);
                   });
  return any ? Widening(graph).run() : graph;
}

}  // namespace mithril
