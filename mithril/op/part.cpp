#include "mithril/op/part.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/infer/small_vector.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

const std::string& Part::given_name() const {
  static const std::string none;
  return given_name_ ? *given_name_ : none;
}

void Part::give_name(std::string name) {
  check_name(name);
  given_name_ = name.empty() ? nullptr : std::make_unique<const std::string>(std::move(name));
}

std::string Part::class_name() const { return op ? op->model_name : "Model"; }
std::string_view Part::label() const {
  if (given_name_) return *given_name_;
  return op ? std::string_view(op->label) : "model";
}
std::string Part::name_of(const Part& child) const { return std::string(child.label()); }

// A side has one list port at most.
size_t Part::slots_at(size_t port) const {
  if (!op->port(port).list) return 1;
  return port < op->inputs.size() ? input_count + 1 - op->inputs.size()
                                  : slot_count - input_count + 1 - op->outputs.size();
}

size_t Part::port_of(size_t slot) const {
  size_t port = 0;
  for (size_t end = slots_at(0); slot >= end; end += slots_at(port)) ++port;
  return port;
}

const PortDef& Part::port_at(size_t slot) const { return op->port(port_of(slot)); }

std::span<Wire*> Part::slots_of(std::string_view port) const {
  size_t first = 0;
  for (size_t i = 0; i < op->port_count(); ++i) {
    if (op->port(i).name == port) return all_slots().subspan(first, slots_at(i));
    first += slots_at(i);
  }
  return {};
}

Wire* Part::wire(Facts& facts, size_t slot) const {
  if (slots[slot]) return top(slots[slot]);
  const PortDef& port = port_at(slot);
  const Origin outer = facts.current;
  facts.current = {this, Note(port.name)};
  Wire* wire = facts.make<Wire>();
  wire->type = facts.type(port.fallback->kind());
  facts.set(value_of(facts, wire), *port.fallback);
  wire->uses = 1;
  facts.current = outer;
  save(slots[slot]);
  return slots[slot] = wire;
}

Wire* Part::wire(Facts& facts, std::string_view port, int item) const {
  const std::span<Wire*> found = slots_of(port);
  if (static_cast<size_t>(item) >= found.size())
    faulty_record(*op, "it asks for a port '" + std::string(port) + "'");
  return wire(facts, static_cast<size_t>(&found[static_cast<size_t>(item)] - slots));
}

const Datum* Part::left_out(std::string_view port) const {
  const std::span<Wire*> found = slots_of(port);
  if (found.size() != 1 || found.front()) return nullptr;
  return &*port_at(static_cast<size_t>(found.data() - slots)).fallback;
}

int Part::count(std::string_view port) const { return static_cast<int>(slots_of(port).size()); }

std::string path(const Part* part) {
  SmallVector<const Part*, 16> up;
  for (; part && part->owner; part = part->owner) up.push_back(part);
  std::string text;
  for (; !up.empty(); up.pop_back()) {
    if (!text.empty()) text += '.';
    text += up.back()->owner->name_of(*up.back());
  }
  return text;
}

std::string wire_name(Wire* wire) {
  wire = top(wire);
  const Part* at = wire->home;
  std::string leaf = at ? std::string(*wire->name) : std::string();
  if (!at && wire->driver) {
    at = wire->driver;
    const PortDef& port = at->port_at(static_cast<size_t>(wire->driver_slot));
    leaf = port.name;
    if (port.list)
      leaf += "_" + std::to_string(wire->driver_slot - static_cast<int>(at->input_count));
  }
  std::string name = path(at);
  if (!name.empty()) name += '.';
  return name += leaf;
}

Wire* new_wire(Facts& facts) {
  Wire* wire = facts.make<Wire>();
  wire->shape.run = facts.run();
  wire->type = facts.type();
  return wire;
}

DatumVariable* value_of(Facts& facts, Wire* wire) {
  if (!wire->value) {
    save(wire->value);
    wire->value = facts.make<DatumVariable>();
  }
  return wire->value;
}

}  // namespace mithril
