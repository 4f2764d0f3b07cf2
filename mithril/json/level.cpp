#include "mithril/json/level.hpp"
#include "mithril/op/op_def.hpp"

#include <unordered_set>

namespace mithril {
namespace {

struct Port {
  std::string path;
  Wire* wire;  // null: left out
};

uint64_t end_of(const Composite& model) { return model.owner ? model.adopted_at : UINT64_MAX; }

// "input", or "input_2" for an item of a list.
std::string slot_name(const Part& part, size_t at, size_t& item) {
  const PortDef& port = part.port_at(at);
  item = at > 0 && part.port_of(at - 1) == part.port_of(at) ? item + 1 : 0;
  return port.list ? port.name + "_" + std::to_string(item) : port.name;
}

std::vector<Port> ports_of(const Part& part);

// The keys of a model, and unnamed ports by their paths.
std::vector<Port> ports_of_model(const Composite& model) {
  std::vector<Port> ports;
  std::unordered_set<const Wire*> seen;
  for (const Key& key : model.keys) {
    Wire* wire = wire_in(model, key.wire);
    seen.insert(wire);
    ports.push_back({std::string(*key.name), wire});
  }
  for (const auto& part : model.parts) {
    const std::string id = model.name_of(*part);
    for (Port& port : ports_of(*part)) {
      if (!port.wire) continue;
      Wire* wire = wire_in(model, port.wire);
      if (seen.insert(wire).second) ports.push_back({id + "." + port.path, wire});
    }
  }
  return ports;
}

std::vector<Port> ports_of(const Part& part) {
  if (!part.op) return ports_of_model(static_cast<const Composite&>(part));
  std::vector<Port> ports;
  size_t item = 0;
  for (size_t i = 0; i < part.slot_count; ++i) {
    std::string name = slot_name(part, i, item);
    ports.push_back({std::move(name), part.slots[i]});
  }
  return ports;
}

}  // namespace

Wire* wire_in(const Composite& model, Wire* wire) { return top_before(wire, end_of(model)); }
size_t parts_by_recipe(const Composite& model) { return model.recipe ? model.recipe->parts : 0; }
size_t keys_by_recipe(const Composite& model) { return model.recipe ? model.recipe->keys : 0; }

Level level_of(const Composite& model) {
  Level level;
  const uint64_t made_at = model.recipe ? model.recipe->made_at : 0;
  for (size_t i = 0; i < keys_by_recipe(model); ++i) {
    const Key& key = model.keys[i];
    level.endpoints.push_back(
        {nullptr, "", std::string(*key.name), top_before(key.wire, made_at), true});
  }
  for (size_t i = 0; i < model.parts.size(); ++i) {
    const Part& part = *model.parts[i];
    const bool by_recipe = i < parts_by_recipe(model);
    const std::string id = model.name_of(part);
    for (Port& port : ports_of(part)) {
      Wire* wire = by_recipe && port.wire ? top_before(port.wire, made_at) : port.wire;
      level.endpoints.push_back({&part, id, std::move(port.path), wire, by_recipe});
    }
  }
  const auto group = [&](Wire* wire) -> Group& {
    const auto [at, added] = level.group_of.emplace(wire_in(model, wire), level.groups.size());
    if (added) level.groups.emplace_back();
    return level.groups[at->second];
  };
  for (size_t i = 0; i < level.endpoints.size(); ++i) {
    if (Wire* wire = level.endpoints[i].wire) group(wire).endpoints.push_back(i);
  }
  for (size_t i = 0; i < model.keys.size(); ++i) group(model.keys[i].wire).keys.push_back(i);
  return level;
}

}  // namespace mithril
