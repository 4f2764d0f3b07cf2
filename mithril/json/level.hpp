// One level of a model for its JSON form: the ports of its parts that form one connection,
// considering this level and those inside it only.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

struct Endpoint {
  const Part* part;        // null: a key that the recipe made
  std::string id, port;    // the part's name, and the path of the port in it; or the key
  Wire* wire;              // for wires of the recipe: the state when the recipe had ended
  bool by_recipe = false;  // the recipe made the part and its bindings

  std::string path() const { return part ? id + "." + port : port; }
};
struct Group {
  std::vector<size_t> endpoints;
  std::vector<size_t> keys;  // of the model
};
struct Level {
  std::vector<Endpoint> endpoints;  // keys of the recipe, then the ports of the parts in order
  std::vector<Group> groups;        // in the order of their first endpoints, then of their keys
  std::unordered_map<const Wire*, size_t> group_of;  // by the wire as this level left it
};
Level level_of(const Composite& model);

// The wire as the model left it, without connections that outer models added.
Wire* wire_in(const Composite& model, Wire* wire);
size_t parts_by_recipe(const Composite& model);
size_t keys_by_recipe(const Composite& model);

}  // namespace mithril
