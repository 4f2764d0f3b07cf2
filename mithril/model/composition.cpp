#include "mithril/model/composition.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/share.hpp"
#include "mithril/model/undo.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// Every int, float, bool ... and no name or connection: a list of these is a tuple.
bool is_literal(const Binding& binding) {
  if (std::holds_alternative<Datum>(binding.held())) return true;
  const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
  return items && std::all_of(items->begin(), items->end(), is_literal);
}

Datum literal(const Binding& binding) {
  if (const Datum* datum = std::get_if<Datum>(&binding.held())) return *datum;
  Tuple items;
  for (const Binding& item : std::get<std::vector<Binding>>(binding.held()))
    items.push_back(literal(item));
  return Datum(std::move(items));
}

// The outputs of a part, with their names.
std::vector<std::pair<std::string, const Wire*>> outputs_of(const Part& part) {
  std::vector<std::pair<std::string, const Wire*>> outputs;
  if (!part.op) {
    for (const NamedPort& port : output_ports(static_cast<const Composite&>(part)))
      outputs.emplace_back(port.name, top(port.wire));
    return outputs;
  }
  for (size_t slot = part.input_count; slot < part.slot_count; ++slot)
    outputs.emplace_back(part.port_at(slot).name, top(part.slots[slot]));
  return outputs;
}

bool are_all_outputs(const std::vector<Binding>& items,
                     const std::vector<std::pair<std::string, const Wire*>>& outputs) {
  if (items.size() != outputs.size()) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    const auto* item = std::get_if<Connection>(&items[i].held());
    if (!item || top(item->wire()) != outputs[i].second) return false;
  }
  return true;
}

// Keeps the list of a long chain short. Runs at powers of two, so that the amortised cost is
// constant.
void forget_read_outputs(std::vector<CanonicalPort>& ports) {
  if (ports.size() < 16 || !std::has_single_bit(ports.size())) return;
  std::erase_if(ports, [](const CanonicalPort& port) { return top(port.wire)->uses > port.uses; });
}

// Whether the first part on the path is `part`.
bool leads_into(Composite& model, std::string_view path, const Part* part) {
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    if (const Part* child = model.find_part(path.substr(0, dot))) return child == part;
  }
  return false;
}

}  // namespace

void refuse_outputs(const Part& part, const std::string& port, Kinds kinds,
                    const Binding& binding) {
  const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
  if ((kinds & kind::tuple) || !items || items->size() < 2) return;
  const auto* first = std::get_if<Connection>(&items->front().held());
  if (!first) return;
  for (const std::shared_ptr<Part>& maker : root_of(first->model())->parts) {
    const auto outputs = outputs_of(*maker);
    if (!are_all_outputs(*items, outputs)) continue;
    std::vector<std::string> names;
    for (const auto& [name, wire] : outputs) names.push_back(name);
    const std::string who(maker->label());
    raise({.kind = ErrorKind::connection,
           .code = "E0146",
           .path = path(&part).empty() ? std::string(part.label()) : path(&part),
           .port = port,
           .message = "port '" + port + "' takes one value, and " + maker->class_name() +
                      " has several outputs",
           .facts = {{"outputs", mithril::join(names, ", "), ""}},
           .help = "take one of them: " + who + "(...)[0] is '" + names.front() + "'"});
  }
}

// Within another attempt the model may be gone before that is undone.
Composition::Composition(Composite& here) : here_(here), facts_(*here.facts), attempt_(facts_) {
  Trail::active()->keep(here.shared_from_this());
}

void Composition::add(const std::shared_ptr<Part>& part, const Bindings& bindings, bool chain) {
  if (part->owner || part.get() == &here_) {
    raise({.kind = ErrorKind::connection,
           .code = "E0103",
           .path = path(part.get()),
           .message = part.get() == &here_ ? "a model cannot be a part of itself"
                                           : "this part belongs to a model already",
           .help = "make a new part for each place; part.shared() makes one that reads the same "
                   "parameters and states"});
  }
  added_ = part.get();
  const Bindings all = with_shared_inputs(*part, bindings);
  if (part->op) {
    add_op(part, all, chain);
  } else {
    add_composite(std::static_pointer_cast<Composite>(part), all, chain);
  }
}

Wire* Composition::chain_source(const Part& part, size_t candidates,
                                const std::function<std::vector<std::string>()>& names) const {
  const std::vector<Wire*> sources = open_outputs(here_);
  if (here_.parts.empty() || sources.empty()) return nullptr;
  auto ambiguous = [&](const std::string& what, const std::vector<std::string>& choices) {
    raise({.kind = ErrorKind::connection,
           .code = "E0105",
           .path = path(&part),
           .message = what + " is not unique",
           .facts = {{"candidates", mithril::join(choices, ", "), ""}},
           .help = "name the port, or choose one with set_cin or set_cout"});
  };
  if (sources.size() > 1) {
    std::vector<std::string> outputs;
    for (Wire* wire : sources) outputs.push_back(wire_name(wire));
    ambiguous("the canonical output of the model", outputs);
  }
  if (candidates != 1) ambiguous("the canonical input of the part", names());
  return sources[0];
}

// A key or a port by its path, such as "linear.weight"; else a new key. A part that is being bound
// is not looked into: its own name may be the first word of a key.
Wire* Composition::wire_named(const std::string& name) {
  const bool own = bound_ && !here_.find_key(name) && leads_into(here_, name, bound_);
  Wire* wire = own ? nullptr : here_.find_wire(name);
  return wire ? wire : here_.named(name);
}

Wire* Composition::wire_for(const Binding& binding) {
  const auto& held = binding.held();
  if (const auto* name = std::get_if<std::string>(&held)) return wire_named(*name);
  if (const auto* datum = std::get_if<Datum>(&held)) return wire_of_value(*datum);
  if (const auto* items = std::get_if<std::vector<Binding>>(&held)) return wire_of_list(*items);
  if (const auto* tensor = std::get_if<Tensor>(&held)) {
    Wire* wire = new_wire(facts_);
    set_tensor(here_, wire, *tensor);
    return wire;
  }
  if (const auto* key = std::get_if<IOKey>(&held)) {
    Wire* wire = key->name.empty() ? new_wire(facts_) : wire_named(key->name);
    describe(wire, *key);
    return wire;
  }
  const Connection& connection = std::get<Connection>(held);
  const std::shared_ptr<Composite> root = root_of(connection.model());
  if (root.get() == &here_) return connection.wire();
  if (Wire* copy = here_.find_copy(root, connection.wire())) return copy;
  if (!root->expression) {
    raise({.kind = ErrorKind::connection,
           .code = "E0107",
           .path = path(&here_),
           .message = "connection '" + wire_name(connection.wire()) + "' belongs to another model",
           .help = "add that model as a part first, or use its ports by name"});
  }
  absorb(root);
  return connection.wire();
}

Wire* Composition::wire_of_value(const Datum& datum, bool note) {
  Wire* wire = facts_.make<Wire>();
  wire->type = facts_.type(datum.kind());
  wire->shape.run = facts_.run();
  facts_.set(value_of(facts_, wire), datum);
  if (note) here_.note({wire, datum});
  return wire;
}

Wire* Composition::wire_of_list(const std::vector<Binding>& items) {
  const Binding list(items);
  if (is_literal(list)) return wire_of_value(literal(list));
  const auto pack = std::make_shared<OpPart>();
  pack->op = &find_op("to_tuple");
  add(pack, {{"input", list}}, false);
  return top(pack->output_slots().front());
}

void Composition::describe(Wire* wire, const IOKey& key) {
  const Origin outer = facts_.current;
  const auto said = [&](std::string_view what) {
    return Statements(here_, {"IOKey('", what, ")"});
  };
  // A value with a shape is a tensor: the type int is that of its elements.
  const bool is_tensor = key.shape && !key.value;
  PortType type = key.type;
  const int elements = is_tensor ? (type.kinds & kind::number) / kind::bool_value : 0;
  if (elements) type.kinds = static_cast<Kinds>((type.kinds & ~kind::number) | elements);
  if (type.kinds) said("', type=").type(key.name, wire, type);
  if (type.kinds && is_tensor) said("', shape=").type(key.name, wire, kind::tensor);
  if (key.shape) said("', shape=").shape(key.name, wire, *key.shape);
  if (key.value) said("', value=").value(key.name, wire, *key.value);
  if (key.tensor) said("', value=").tensor(key.name, wire, *key.tensor);
  if (key.differentiable) {
    said("', differentiable=").differentiable(key.name, wire, *key.differentiable);
  }
  if (key.interval) {
    if (!(key.interval->first <= key.interval->second)) {
      raise({.kind = ErrorKind::value,
             .code = "E0409",
             .path = key.name,
             .message = "an interval ends before it begins",
             .facts = {{"got", std::to_string(key.interval->first) + " to " +
                                   std::to_string(key.interval->second)}}});
    }
    auto& intervals = here_.more().intervals;
    take_back_growth(intervals);
    intervals.push_back({wire, key.interval->first, key.interval->second});
    here_.note({wire, *key.interval});
  }
  facts_.current = outer;
}

void Composition::join(Wire* outer, Wire* inner) {
  outer = top(outer);
  inner = top(inner);
  const bool may_cycle = (inner->driver && outer->uses > 0) || (outer->driver && inner->uses > 0);
  Part* driver = inner->driver ? inner->driver : outer->driver;
  unify_wires(facts_, outer, inner);
  if (may_cycle) refuse_cycle(driver);
}

void Composition::join_named(const Side& outer, const Side& inner) {
  try {
    join(outer.wire, inner.wire);
    facts_.settle();
  } catch (const Error& error) {
    raise_between(error, outer.label, outer, inner);
  }
}

void Composition::join_port(Wire* outer, Wire* inner, std::string_view port) {
  fed_back_ = fed_back_ || (top(inner)->driver && top(outer)->uses > 0);
  try {
    if (fed_back_) {
      join(outer, inner);
    } else {
      unify_wires(facts_, outer, inner);
    }
  } catch (const Error& error) {
    const std::string name = wire_name(outer);
    raise_between(error, {}, {"port " + std::string(port), inner},
                  {"bound to", outer, name.empty() ? "" : "on " + name}, facts_.current.part);
  }
}

// Walks back from a part that has begun to drive a wire which was read before.
void Composition::refuse_cycle(Part* driver) const {
  std::vector<Part*> open{driver};
  std::unordered_map<Part*, Part*> reached;  // -> the part that reads it
  while (!open.empty()) {
    Part* part = open.back();
    open.pop_back();
    for (Wire* wire : part->input_slots()) {
      Part* from = wire ? top(wire)->driver : nullptr;
      if (!from || !reached.emplace(from, part).second) continue;
      if (from != driver) {
        open.push_back(from);
        continue;
      }
      std::string cycle = path(driver);
      for (Part* at = part; at != driver; at = reached.at(at)) cycle += " <- " + path(at);
      raise({.kind = ErrorKind::connection,
             .code = "E0102",
             .path = path(driver),
             .message = "its output flows back into its own input",
             .facts = {{"cycle", cycle + " <- " + path(driver), ""}},
             .help = "bind one of these ports to another name; for recurrence over calls use "
                     "bind_state_keys"});
    }
  }
}

void Composition::commit_within(Composition& outer) {
  facts_.settle();
  attempt_.commit();
  outer.adopted_.insert(outer.adopted_.end(), adopted_.begin(), adopted_.end());
  adopted_.clear();
}

void Composition::commit() {
  try {
    facts_.settle();
  } catch (const Error& error) {
    if (added_) raise_at(error, path(added_));
    throw;
  }
  if (!adopted_.empty()) facts_.home();  // needed to adopt facts
  save(here_.revision);                  // for an enclosing attempt
  ++here_.revision;
  attempt_.commit();
  for (const auto& model : adopted_) {
    facts_.adopt(*model->facts);
    model->facts.reset();
    model->extras.reset();
    if (model->merged_into) model->statements.clear();
  }
  adopted_.clear();
  forget_read_outputs(here_.canonical_outputs);
}

}  // namespace mithril
