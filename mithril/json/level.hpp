// One level of a model as its JSON form sees it: which ports of its parts are one connection, as
// far as this level and those inside it made them one.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

struct Endpoint {
  const Part* part;        // null: a key that the recipe made
  std::string id, port;    // the part's name, and the path of the port in it; or the key
  Wire* wire;              // for what the recipe made: as its work left it
  bool by_recipe = false;  // the recipe made it, and what it is bound to

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

// The wire as the model left it: what the models around it joined stays out.
Wire* wire_in(const Composite& model, Wire* wire);
size_t parts_by_recipe(const Composite& model);
size_t keys_by_recipe(const Composite& model);

}  // namespace mithril
