#include "mithril/op/part.hpp"

#include <algorithm>
#include <cstdlib>

#include "mithril/base/error.hpp"

namespace mithril {

std::string Part::class_name() const { return op ? op->model_name : "Model"; }
std::string_view Part::label() const {
  if (!given_name.empty()) return given_name;
  return op ? std::string_view(op->label) : "model";
}
std::string Part::name_of(const Part& child) const { return std::string(child.label()); }

Wire* Part::wire(std::string_view port, int item) const {
  const auto all = all_slots();
  const auto first = std::find_if(all.begin(), all.end(), [&](const Slot& slot) {
    return op->port(static_cast<size_t>(slot.port)).name == port;
  });
  if (item < all.end() - first && first[item].port == first->port) return top(first[item].wire);
  MITHRIL_CHECK(false, "op " + op->name + " has no port '" + std::string(port) + "' here");
  std::abort();
}

int Part::count(std::string_view port) const {
  const auto at = [&](const Slot& slot) {
    return op->port(static_cast<size_t>(slot.port)).name == port;
  };
  return static_cast<int>(std::count_if(slots, slots + slot_count, at));
}

std::string path(const Part* part) {
  std::vector<const Part*> up;
  for (; part && part->owner; part = part->owner) up.push_back(part);
  std::string text;
  for (auto at = up.rbegin(); at != up.rend(); ++at) {
    if (!text.empty()) text += '.';
    text += (*at)->owner->name_of(**at);
  }
  return text;
}

std::string wire_name(Wire* wire) {
  wire = top(wire);
  const Part* at = wire->home;
  std::string leaf = at ? *wire->name : std::string();
  if (!at && wire->driver) {
    at = wire->driver;
    const Slot& slot = at->slots[wire->driver_slot];
    leaf = at->op->port(static_cast<size_t>(slot.port)).name;
    if (at->op->port(static_cast<size_t>(slot.port)).list)
      leaf += "_" + std::to_string(wire->driver_slot - static_cast<int>(at->input_count));
  }
  const std::string where = path(at);
  return where.empty() ? leaf : where + "." + leaf;
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
