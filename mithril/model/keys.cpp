#include "mithril/model/keys.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/pointer_map.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

bool holds_tensor(const Wire* wire) { return (find(wire->type)->kinds & kind::tensor) != 0; }

std::unordered_set<const Wire*> state_wires(const Composite& model, bool inputs) {
  std::unordered_set<const Wire*> wires;
  if (!model.extras) return wires;
  for (const StatePair& pair : model.extras->states)
    wires.insert(top(inputs ? pair.input : pair.output));
  return wires;
}

// A name as this model sees it: the wire's path without the path of the model itself.
std::string name_in(const Composite& model, Wire* wire) {
  std::string name = wire_name(wire);
  const std::string prefix = path(&model);
  if (!prefix.empty() && name.rfind(prefix + ".", 0) == 0) name.erase(0, prefix.size() + 1);
  return name;
}

// Keeps the first of each.
void drop_repeated(std::vector<Wire*>& wires) {
  if (wires.size() < 2) return;
  PointerMap<bool> seen(wires.size());
  std::erase_if(wires, [&](Wire* wire) { return std::exchange(seen[wire], true); });
}

// Tells which inputs are parts of expressions for parameters of layers, as in weight=base + b @ a.
class ParameterExpressions {
 public:
  explicit ParameterExpressions(const Composite& model) : model_(model) {
    if (!model.extras) return;
    for (const WireDistribution& distribution : model.extras->distributions) {
      const Wire* wire = top(distribution.wire);
      any_ = any_ || wire->driver;
      parameters_[wire] = true;
    }
    if (any_) find_layers();
  }

  bool has_initializer(const Wire* wire) { return parameters_.find(wire) != nullptr; }

  // An input that a layer with parameters reads, too, is data.
  bool has(const Wire* input) {
    if (!any_) return false;
    std::vector<const Wire*> open{input};
    PointerMap<bool> visited(16);
    bool found = false;
    while (!open.empty()) {
      const Wire* wire = open.back();
      open.pop_back();
      if (std::exchange(visited[wire], true)) continue;
      if (parameters_.find(wire)) {
        found = true;
        continue;
      }
      const auto* readers = readers_.find(wire);
      if (!readers) continue;
      for (const Part* op : *readers) {
        if (is_in_layer(*op)) return false;
        for (size_t slot = op->input_count; slot < op->slot_count; ++slot)
          open.push_back(top(op->slots[slot]));
      }
    }
    return found;
  }

 private:
  void find_layers() {
    for (const Part* op : all_op_parts(model_)) {
      for (size_t slot = 0; slot < op->input_count; ++slot) {
        if (!op->slots[slot]) continue;
        const Wire* wire = top(op->slots[slot]);
        readers_[wire].push_back(op);
        if (!parameters_.find(wire)) continue;
        const auto* owner = static_cast<const Composite*>(op->owner);
        const bool is_layer = owner != &model_ && owner->recipe;
        layers_[is_layer ? static_cast<const Part*>(owner) : op] = true;
      }
    }
  }

  bool is_in_layer(const Part& op) const { return layers_.find(&op) || layers_.find(op.owner); }

  const Composite& model_;
  bool any_ = false;  // a parameter of a layer that ops compute
  PointerMap<bool> parameters_{16};
  PointerMap<bool> layers_{16};  // library models and ops that read parameters
  PointerMap<std::vector<const Part*>> readers_{16};
};

}  // namespace

bool is_valued(const Wire* wire) {
  return wire->constant ||
         (wire->value && find(wire->value)->known && !is_symbolic(find(wire->value)->datum));
}

std::vector<Wire*> open_outputs(const Composite& model) {
  std::vector<Wire*> open;
  for (const CanonicalPort& port : model.canonical_outputs) {
    Wire* wire = top(port.wire);
    if (wire->uses <= port.uses) open.push_back(wire);
  }
  drop_repeated(open);
  return open;
}

std::vector<Wire*> open_inputs(const Composite& model) {
  std::vector<Wire*> open;
  for (const CanonicalPort& port : model.canonical_inputs) {
    Wire* wire = top(port.wire);
    if (!wire->driver && !is_valued(wire)) open.push_back(wire);
  }
  drop_repeated(open);
  ParameterExpressions expressions(model);
  std::erase_if(open, [&](const Wire* wire) { return expressions.has(wire); });
  return open;
}

std::vector<const Wire*> layer_parameters(const Composite& model,
                                          const std::vector<const Wire*>& inputs) {
  std::vector<const Wire*> parameters;
  ParameterExpressions expressions(model);
  for (const Wire* wire : inputs) {
    if (expressions.has_initializer(wire) || expressions.has(wire)) parameters.push_back(wire);
  }
  return parameters;
}

std::vector<std::string> canonical_names(const OpDef& op) {
  if (!op.canonical.empty()) return op.canonical;
  if (op.inputs.empty()) return {};
  return {op.inputs.front().name};
}

void keep_open_outputs(Composite& part) {
  save(part.canonical_outputs);
  for (CanonicalPort& port : part.canonical_outputs) {
    if (top(port.wire)->uses <= port.uses) port.uses = std::numeric_limits<int32_t>::max();
  }
}

bool is_inside(const Part* part, const Composite& model) {
  while (part && part != &model) part = part->owner;
  return part != nullptr;
}

std::vector<Part*> all_op_parts(const Composite& model) {
  std::vector<Part*> ops;
  std::vector<std::pair<const Composite*, size_t>> open{{&model, 0}};
  while (!open.empty()) {
    auto& [composite, next] = open.back();
    if (next == composite->parts.size()) {
      open.pop_back();
      continue;
    }
    Part* part = composite->parts[next++].get();
    if (part->op) {
      ops.push_back(part);
    } else {
      open.emplace_back(static_cast<Composite*>(part), 0);
    }
  }
  return ops;
}

std::vector<NamedPort> input_ports(const Composite& model, bool with_state) {
  const auto hidden = with_state ? std::unordered_set<const Wire*>() : state_wires(model, true);
  std::vector<NamedPort> ports;
  const std::vector<Part*> ops = all_op_parts(model);
  PointerMap<bool> inside(ops.size()), seen(ops.size());
  for (const Part* part : ops) inside[part] = true;
  PointerMap<Note> keys(model.keys.size());
  for (const Key& key : model.keys) {
    if (Note& name = keys[top(key.wire)]; !name) name = key.name;
  }
  auto consider = [&](Wire* wire) {
    if ((wire->driver && inside.find(wire->driver)) || is_valued(wire) || hidden.contains(wire) ||
        std::exchange(seen[wire], true))
      return;
    const Note* key = keys.find(wire);
    ports.push_back({key ? std::string(**key) : name_in(model, wire), wire});
  };
  for (const Key& key : model.keys) consider(top(key.wire));
  for (const Part* part : ops) {
    for (Wire* wire : part->input_slots()) {
      if (wire) consider(top(wire));
    }
  }
  return ports;
}

std::vector<NamedPort> output_ports(const Composite& model) {
  const auto hidden = state_wires(model, false);
  std::vector<NamedPort> ports;
  for (const Key& key : model.keys) {
    Wire* wire = top(key.wire);
    const bool driven =
        (wire->driver && is_inside(wire->driver, model)) || (key.exposed && is_valued(wire));
    if (!driven || (model.selects_outputs && !key.exposed)) continue;
    if (hidden.contains(wire) && !key.exposed) continue;
    ports.push_back({std::string(*key.name), wire});
  }
  if (model.selects_outputs) return ports;
  const std::vector<Wire*> open = open_outputs(model);
  PointerMap<bool> listed(ports.size());
  for (const NamedPort& port : ports) listed[port.wire] = true;
  const bool only =
      open.size() == 1 && std::none_of(model.keys.begin(), model.keys.end(),
                                       [](const Key& key) { return *key.name == "output"; });
  for (Wire* wire : open) {
    if (listed.find(wire) || !holds_tensor(wire)) continue;
    ports.push_back({only ? "output" : name_in(model, wire), wire});
  }
  return ports;
}

Wire* find_port(Composite& model, std::string_view key) {
  if (Wire* wire = model.find_wire(key)) return wire;
  if (key != "output") return nullptr;
  for (const NamedPort& port : output_ports(model)) {
    if (port.name == key) return port.wire;
  }
  return nullptr;
}

Wire* wire_at(Composite& model, const std::string& key) {
  if (Wire* wire = find_port(model, key)) return wire;
  std::vector<std::string> names;
  for (const NamedPort& port : input_ports(model)) names.push_back(port.name);
  for (const NamedPort& port : output_ports(model)) names.push_back(port.name);
  root_of(model.shared_from_this());  // raises if its model was destroyed
  unknown_name(ErrorKind::name, "E0606", "key", key, path(&model), names);
}

}  // namespace mithril
