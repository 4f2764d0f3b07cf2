#include "mithril/op/part.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/infer/small_vector.hpp"

namespace mithril {

const std::string& Part::given_name() const {
  static const std::string none;
  return given_name_ ? *given_name_ : none;
}

void Part::give_name(std::string name) {
  given_name_ = name.empty() ? nullptr : std::make_unique<const std::string>(std::move(name));
}

std::string Part::class_name() const { return op ? op->model_name : "Model"; }
std::string_view Part::label() const {
  if (given_name_) return *given_name_;
  return op ? std::string_view(op->label) : "model";
}
std::string Part::name_of(const Part& child) const { return std::string(child.label()); }

std::span<Slot> Part::slots_of(std::string_view port) const {
  for (size_t i = 0; i < op->port_count(); ++i) {
    if (op->port(i).name != port) continue;
    const auto all = all_slots();  // in the order of ports
    const auto number = static_cast<int32_t>(i);
    const auto first = std::ranges::lower_bound(all, number, {}, &Slot::port);
    const auto last = std::ranges::upper_bound(all, number, {}, &Slot::port);
    return {first, last};
  }
  return {};
}

Wire* Part::wire(std::string_view port, int item) const {
  const std::span<Slot> found = slots_of(port);
  MITHRIL_CHECK(static_cast<size_t>(item) < found.size(),
                "op " + op->name + " has no port '" + std::string(port) + "' here");
  return top(found[static_cast<size_t>(item)].wire);
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
    const Slot& slot = at->slots[wire->driver_slot];
    leaf = at->op->port(static_cast<size_t>(slot.port)).name;
    if (at->op->port(static_cast<size_t>(slot.port)).list)
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
