// Adding a part: an op, a composite, an expression.
#include <algorithm>
#include <array>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/undo.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

const Binding* find_binding(const Bindings& bindings, std::string_view port) {
  for (const auto& [name, binding] : bindings) {
    if (name == port) return &binding;
  }
  return nullptr;
}

std::string numbered(const std::string& port, size_t number) {
  return port + "_" + std::to_string(number);
}

// "output" if there are output_0, output_1, ...
bool is_family(Composite& part, const std::string& port) {
  return !find_port(part, port) && find_port(part, numbered(port, 0));
}

// A name or a list for such a port is expanded to one for each; other bindings do not change.
Bindings spread_families(Composite& part, const Bindings& bindings) {
  Bindings spread;
  for (const auto& [port, binding] : bindings) {
    const auto* name = std::get_if<std::string>(&binding.held());
    const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
    if ((!name && !items) || !is_family(part, port)) {
      spread.emplace_back(port, binding);
      continue;
    }
    for (size_t i = 0; items ? i < items->size() : find_port(part, numbered(port, i)) != nullptr;
         ++i)
      spread.emplace_back(numbered(port, i), name ? Binding(numbered(*name, i)) : (*items)[i]);
  }
  return spread;
}

bool has_port(Part& part, const std::string& port) {
  if (!part.op) {
    Composite& model = static_cast<Composite&>(part);
    return find_port(model, port) || is_family(model, port);
  }
  for (size_t i = 0; i < part.op->port_count(); ++i) {
    if (part.op->port(i).name == port) return true;
  }
  return false;
}

// Ports that a recurrent layer has with an option, the output that such a layer has, and the
// option.
constexpr std::array<std::array<const char*, 3>, 3> optional_ports{
    {{"h_0", "h_n", "use_initial_state"},
     {"c_0", "c_n", "use_initial_state"},
     {"lengths", "h_n", "use_lengths"}}};

std::vector<std::string> port_names(const Part& part) {
  std::vector<std::string> names;
  if (part.op) {
    for (size_t i = 0; i < part.op->port_count(); ++i) names.push_back(part.op->port(i).name);
  } else {
    const auto& model = static_cast<const Composite&>(part);
    for (NamedPort& port : input_ports(model)) names.push_back(std::move(port.name));
    for (NamedPort& port : output_ports(model)) names.push_back(std::move(port.name));
  }
  return names;
}

[[noreturn]] void refuse_port(Part& part, const std::string& port) {
  const std::vector<std::string> names = port_names(part);
  for (const auto& [optional, output, option] : optional_ports) {
    if (part.op || port != optional || std::find(names.begin(), names.end(), output) == names.end())
      continue;
    raise({.kind = ErrorKind::name,
           .code = "E0604",
           .path = path(&part),
           .message = part.class_name() + " has the port '" + port + "' with an option only",
           .facts = {{"ports", join(names, ", "), ""}},
           .help = "make it with the option: " + part.class_name() + "(..., " + option + "=True)"});
  }
  unknown_member(ErrorKind::name, "E0604", part.class_name(), "port", port, path(&part), names);
}

// The bindings of the ports of an op, including the values of its construction.
class OpBindings {
 public:
  OpBindings(const OpPart& part, const Bindings& bindings)
      : part_(part), op_(*part.op), bindings_(bindings) {}

  const Binding* given(const std::string& port) {
    if (const Binding* binding = find_binding(bindings_, port)) {
      const auto* datum = std::get_if<Datum>(&binding->held());
      return datum && is_list(port) ? kept(items_of(*datum)) : binding;
    }
    if (!part_.arguments) return nullptr;
    for (const auto& [name, datum] : *part_.arguments) {
      if (name == port) return kept(is_list(port) ? Binding(items_of(datum)) : Binding(datum));
    }
    return nullptr;
  }

  // A value that the part brings along: it is noted with the part.
  const Datum* brought(const std::string& port) const {
    return find_binding(bindings_, port) ? nullptr : constructed(port);
  }

  // A value that the constructor was given.
  const Datum* constructed(const std::string& port) const {
    if (!part_.arguments) return nullptr;
    for (const auto& [name, datum] : *part_.arguments) {
      if (name == port) return &datum;
    }
    return nullptr;
  }

  // How many wires a list port has: as many as it is given; a list output, as the tuple that
  // decides it has items.
  int list_size(const PortDef& port) {
    if (const Binding* binding = given(port.name)) {
      const auto* items = std::get_if<std::vector<Binding>>(&binding->held());
      if (!items) list_expected(port);
      return static_cast<int>(items->size());
    }
    const Binding* sizes = op_.outputs_from.empty() ? nullptr : given(op_.outputs_from);
    if (!sizes) list_expected(port);
    if (const auto* items = std::get_if<std::vector<Binding>>(&sizes->held()))
      return static_cast<int>(items->size());
    const auto* datum = std::get_if<Datum>(&sizes->held());
    if (!datum || datum->kind() != kind::tuple) list_expected(port);
    return static_cast<int>(datum->tuple().size());
  }

 private:
  const Binding* kept(Binding made) {
    return made_.emplace_back(std::make_unique<Binding>(std::move(made))).get();
  }

  bool is_list(const std::string& port) const {
    return std::any_of(op_.inputs.begin(), op_.inputs.end(),
                       [&](const PortDef& def) { return def.list && def.name == port; });
  }

  // The items of a tuple; any other value itself.
  static std::vector<Binding> items_of(const Datum& datum) {
    if (datum.kind() != kind::tuple) return {Binding(datum)};
    return {datum.tuple().begin(), datum.tuple().end()};
  }

  [[noreturn]] void list_expected(const PortDef& port) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0109",
           .path = path(&part_),
           .port = port.name,
           .message = "port '" + port.name + "' of " + op_.model_name + " takes a list",
           .help = "bind it to a list of names, connections or values"});
  }

  const OpPart& part_;
  const OpDef& op_;
  const Bindings& bindings_;
  std::vector<std::unique_ptr<const Binding>> made_;
};

[[noreturn]] void refuse_no_outputs(const Part& part) {
  const std::string& list = part.op->outputs_from;
  raise(
      {.kind = ErrorKind::connection,
       .code = "E0109",
       .path = path(&part),
       .port = list,
       .message = part.op->model_name + " has no outputs: the list at port '" + list + "' is empty",
       .help = "give one item or more"});
}

// The number of output slots of a part. `counts` are the sizes of its lists, in port order.
size_t output_slots(const OpDef& op, const std::vector<int>& counts) {
  const bool list = op.list_output() >= 0;
  return op.outputs.size() + (list ? static_cast<size_t>(counts.back()) - 1 : 0);
}

}  // namespace

void check_ports(Part& part, const Bindings& bindings) {
  if (!part.op)
    root_of(static_cast<Composite&>(part).shared_from_this());  // raises if it was destroyed
  for (const auto& [port, binding] : bindings) {
    if (!has_port(part, port)) refuse_port(part, port);
    if (find_binding(bindings, port) == &binding) continue;
    raise({.kind = ErrorKind::connection,
           .code = "E0112",
           .path = path(&part),
           .port = port,
           .message = "port '" + port + "' of " + part.class_name() + " is bound twice",
           .facts = {{"ports", join(port_names(part), ", "), ""}},
           .help = "bind each port once; bindings without a name are those of the ports in this "
                   "order"});
  }
}

void Composition::add_op(const std::shared_ptr<Part>& part, const Bindings& bindings, bool chain) {
  const OpDef& op = *part->op;
  check_ports(*part, bindings);
  OpBindings given(static_cast<const OpPart&>(*part), bindings);
  facts_.current = {part.get(), {}};
  std::string chained;
  Wire* source = nullptr;
  if (chain) {
    std::vector<std::string> open;
    bool bound = false;
    for (const std::string& name : canonical_names(op)) {
      if (given.given(name))
        bound = true;
      else
        open.push_back(name);
    }
    if (!open.empty() && !(bound && op.canonical.empty())) {
      source = chain_source(*part, open.size(), [&] { return open; });
    }
    if (source) chained = open.front();
  }
  std::vector<int> counts;
  std::vector<Wire*> wires;
  for (size_t i = 0; i < op.port_count(); ++i) {
    const PortDef& port = op.port(i);
    const Binding* binding = given.given(port.name);
    if (binding) refuse_text_at_value(*part, port.name, *binding, given.constructed(port.name));
    if (port.list) {
      counts.push_back(given.list_size(port));
      if (i >= op.inputs.size() && counts.back() == 0) refuse_no_outputs(*part);
      for (int k = 0; k < counts.back(); ++k) {
        wires.push_back(binding ? wire_for(std::get<std::vector<Binding>>(
                                      binding->held())[static_cast<size_t>(k)])
                                : nullptr);
      }
    } else {
      if (binding) refuse_outputs(*part, port.name, op.compiled.ports[i].kinds, *binding);
      const Datum* brought = given.brought(port.name);
      wires.push_back(brought                          ? wire_of_value(*brought, false)
                      : binding                        ? wire_for(*binding)
                      : source && port.name == chained ? source
                                                       : nullptr);
      // A value in the call replaces that of the constructor; anything else takes it.
      const Datum* constructed = given.constructed(port.name);
      if (!brought && constructed && !std::holds_alternative<Datum>(binding->held())) {
        join_port(wires.back(), wire_of_value(*constructed, false), port.name);
      }
    }
  }
  place_op(part, counts, wires);
}

void Composition::place_op(const std::shared_ptr<Part>& part, const std::vector<int>& counts,
                           const std::vector<Wire*>& wires) {
  const OpDef& op = *part->op;
  facts_.current = {part.get(), {}};
  here_.adopt_child(part);
  on_undo([raw = part.get()] { clear_slots(*raw); });
  bool may_cycle = false;
  const size_t inputs = wires.size() - output_slots(op, counts);
  for (size_t slot = inputs; slot < wires.size(); ++slot)
    may_cycle = may_cycle || (wires[slot] && top(wires[slot])->uses > 0);
  instantiate(facts_, *part, counts, wires);
  for (size_t slot = 0; slot < part->input_count; ++slot) {
    Wire* wire = part->slots[slot];
    if (!wire || wire->parent || wire->home || wire->driver || is_valued(wire)) continue;
    wire->home = part.get();  // an input left out keeps a name derived from its path
    wire->name = Note(part->port_at(slot).name);
  }
  if (may_cycle) refuse_cycle(part.get());
  std::vector<CanonicalPort> canonical_inputs;
  for (const std::string& name : canonical_names(op)) {
    const std::span<Wire*> slots = part->slots_of(name);
    if (!slots.empty() && slots.front()) canonical_inputs.push_back({top(slots.front()), 0});
  }
  Wire* output = top(part->output_slots().empty() ? nullptr : part->output_slots().front());
  take_canonical(canonical_inputs, {{output, 0}});
}

void Composition::take_canonical(const std::vector<CanonicalPort>& inputs,
                                 const std::vector<CanonicalPort>& outputs) {
  on_undo(
      [this_ = &here_, in = here_.canonical_inputs.size(), out = here_.canonical_outputs.size()] {
        this_->canonical_inputs.resize(in);
        this_->canonical_outputs.resize(out);
      });
  for (const CanonicalPort& port : inputs) {
    if (!top(port.wire)->driver && !is_valued(top(port.wire)))
      here_.canonical_inputs.push_back(port);
  }
  here_.canonical_outputs.insert(here_.canonical_outputs.end(), outputs.begin(), outputs.end());
}

void Composition::refuse_text_at_value(const Part& part, const std::string& port,
                                       const Binding& binding, const Datum* value) const {
  if (!value) return;
  if (const auto* items = std::get_if<std::vector<Binding>>(&binding.held())) {
    for (const Binding& item : *items) refuse_text_at_value(part, port, item, value);
  }
  const auto* name = std::get_if<std::string>(&binding.held());
  if (!name || here_.find_key(*name)) return;
  const std::string text = "(\"" + *name + "\")";
  raise({.kind = ErrorKind::connection,
         .code = "E0120",
         .path = path(&part),
         .port = port,
         .message = "port '" + port + "' of " + part.class_name() + " has a value, and " +
                    in_quotes(*name) + " is the name of a new key",
         .facts = {{"value", to_string(*value)}},
         .help = "a string in a binding is a name: give another value to the constructor, as '" +
                 port + "' (in C++ text is Datum" + text + "); IOKey" + text +
                 " names the value that the port has"});
}

void Composition::bind(Composite& part, const std::string& port, Wire* inner,
                       const Binding& binding) {
  // The ports of a user's model are keys, whose names are at home in bindings.
  const DatumVariable* value = part.recipe && top(inner)->value ? find(top(inner)->value) : nullptr;
  refuse_text_at_value(part, port, binding, value && value->known ? &value->datum : nullptr);
  if (top(inner)->type) refuse_outputs(part, port, find(top(inner)->type)->kinds, binding);
  const Origin here{&part, facts_.note(port)};
  facts_.current = here;
  Wire* outer = wire_for(binding);
  facts_.current = here;
  join_port(outer, inner, port);
}

void Composition::add_composite(const std::shared_ptr<Composite>& part, const Bindings& given,
                                bool chain) {
  complete_for_good(open_model(part), *this);
  const Bindings bindings = spread_families(*part, given);
  std::vector<std::pair<const std::string*, Wire*>> bound;
  for (const auto& [port, binding] : bindings) {
    Wire* inner = find_port(*part, port);
    if (!inner) refuse_port(*part, port);
    bound.emplace_back(&port, inner);
  }
  std::vector<Wire*> canonical = open_inputs(*part);
  std::vector<CanonicalPort> outputs;
  for (Wire* wire : open_outputs(*part)) outputs.push_back({wire, wire->uses});
  Wire *source = nullptr, *target = nullptr;
  if (chain) {
    bool explicit_input = false;
    for (const auto& [port, inner] : bound) {
      if (std::find(canonical.begin(), canonical.end(), inner) != canonical.end())
        explicit_input = true;
    }
    const auto names = [&] {
      std::vector<std::string> paths;
      for (Wire* wire : canonical) paths.push_back(wire_name(wire));
      return paths;
    };
    if (!explicit_input && !canonical.empty()) {
      source = chain_source(*part, canonical.size(), names);
    }
    if (source) target = canonical.front();
  }
  here_.adopt_child(part);
  adopted_.push_back(part);
  keep_open_outputs(*part);
  take_extras(*part);
  bound_ = part.get();
  for (size_t i = 0; i < bound.size(); ++i)
    bind(*part, *bound[i].first, bound[i].second, bindings[i].second);
  bound_ = nullptr;
  if (source) {
    const Note name = top(target)->name;
    facts_.current = {part.get(), name};
    join_port(source, target, name ? *name : "input");
  }
  std::vector<CanonicalPort> inputs;
  for (Wire* wire : canonical) inputs.push_back({wire, 0});
  take_canonical(inputs, outputs);
}

void Composition::place_model(const std::shared_ptr<Composite>& part,
                              const std::vector<std::pair<Wire*, Wire*>>& joined) {
  std::vector<CanonicalPort> inputs, outputs;
  for (Wire* wire : open_inputs(*part)) inputs.push_back({wire, 0});
  for (Wire* wire : open_outputs(*part)) outputs.push_back({wire, wire->uses});
  here_.adopt_child(part);
  adopted_.push_back(part);
  take_extras(*part);
  for (const auto& [outer, inner] : joined) join(outer, inner);
  take_canonical(inputs, outputs);
}

}  // namespace mithril
