// From the JSON form of a model to the model.
#include <algorithm>
#include <cctype>
#include <map>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/json/read_arguments.hpp"
#include "mithril/json/read_facts.hpp"
#include "mithril/json/read_specs.hpp"
#include "mithril/json/read_training.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {
namespace {

Model read(const Json& json, const Place& place);

// "relu" or "relu_3" for the label "relu".
bool numbers(const std::string& id, const std::string& label) {
  if (!id.starts_with(label)) return false;
  if (id.size() == label.size()) return true;
  return id.size() > label.size() + 1 && id[label.size()] == '_' &&
         std::all_of(id.begin() + static_cast<long>(label.size()) + 1, id.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Parts get their ids as names, but for those that will be called so by their class anyway.
void name_parts(std::vector<std::pair<std::string, Model>>& parts) {
  std::map<std::string, std::vector<size_t>> namesakes;
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = *parts[i].second.part();
    const std::string label(part.label());
    if (numbers(parts[i].first, label)) {
      namesakes[label].push_back(i);
    } else if (part.given_name().empty()) {
      part.give_name(parts[i].first);
    }
  }
  for (const auto& [label, members] : namesakes) {
    bool in_order = true;
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string number = members.size() == 1 ? "" : "_" + std::to_string(i);
      in_order = in_order && parts[members[i]].first == label + number;
    }
    for (const size_t member : members) {
      if (!in_order) parts[member].second.part()->give_name(parts[member].first);
    }
  }
}

class ModelReader {
 public:
  ModelReader(const Json& json, const Place& place)
      : place_(place),
        fields_(json, place,
                {"name",
                 "given_name",
                 "args",
                 "tuples",
                 "enums",
                 "renamed",
                 "keys",
                 "submodels",
                 "connections",
                 "merged",
                 "exposed_keys",
                 "assigned_shapes",
                 "assigned_types",
                 "assigned_values",
                 "assigned_differentiabilities",
                 "assigned_intervals",
                 "assigned_initializers",
                 "assigned_cins",
                 "assigned_couts",
                 "state_keys"}),
        model_(make_named(fields_, place)),
        specs_(model_) {}

  Model run() {
    if (const Json* name = fields_.find("given_name"))
      model_.part()->give_name(text_of(*name, place_.at("given_name")));
    rename_keys();
    each_name("keys", [&](const std::string& key) { static_cast<void>(changed()[key]); });
    add_parts();
    join_connections();
    expose();
    read_facts(model_, fields_, place_);
    choose("assigned_cins", &Model::set_cin);
    choose("assigned_couts", &Model::set_cout);
    return model_;
  }

 private:
  // An op on its own has keys only as a model.
  Model& changed() {
    return model_.part()->op ? model_ = Model(std::shared_ptr<Part>(model_.composite())) : model_;
  }

  template <typename Use>
  void each_name(const char* field, Use use) {
    const Json* names = fields_.find(field);
    if (!names) return;
    const Place here = place_.at(field);
    const std::vector<std::string> all = names_of(*names, here);
    for (size_t i = 0; i < all.size(); ++i) reading(here.at(i), [&] { use(all[i]); });
  }

  void rename_keys() {
    const Json* pairs = fields_.find("renamed");
    if (!pairs) return;
    const Place here = place_.at("renamed");
    const Json::Array& items = array_of(*pairs, here);
    for (size_t i = 0; i < items.size(); ++i) {
      const Place at = here.at(i);
      const Json::Array& pair = items_of(items[i], at, 2, "[key, its new name]");
      const std::string& from = text_of(pair[0], at.at(size_t{0}));
      const std::string& to = text_of(pair[1], at.at(size_t{1}));
      reading(at, [&] { model_.rename_key(from, to); });
    }
  }

  void add_parts() {
    const Json* models = fields_.find("submodels");
    const Json* connections = fields_.find("connections");
    const Place at_parts = place_.at("submodels"), at_specs = place_.at("connections");
    std::vector<std::pair<std::string, Model>> parts;
    std::vector<std::string> ids;
    if (models) {
      for (const auto& [id, json] : object_of(*models, at_parts)) {
        const Place here = at_parts.at(id);
        parts.emplace_back(id, read(json, here));
        ids.push_back(id);
      }
    }
    std::map<std::string_view, const Json*> specs;
    if (connections) {
      for (const auto& [id, json] : object_of(*connections, at_specs)) specs[id] = &json;
    }
    name_parts(parts);
    for (const auto& [id, part] : parts) {
      const Place here = at_specs.at(id);
      const auto spec = specs.find(id);
      Bindings bindings;
      if (spec != specs.end()) bindings = specs_.bindings(*spec->second, here);
      reading(here, [&, &part = part] { model_ |= part(std::move(bindings)); });
      specs_.added(id, part);
      if (spec != specs.end()) specs.erase(spec);
    }
    if (specs.empty()) return;
    unknown_name(ErrorKind::name, "E0641", "part", specs.begin()->first, at_specs.pointer(), ids);
  }

  void join_connections() {
    const Json* groups = fields_.find("merged");
    if (!groups) return;
    const Place here = place_.at("merged");
    const Json::Array& items = array_of(*groups, here);
    for (size_t i = 0; i < items.size(); ++i) {
      const Place at = here.at(i);
      std::vector<Binding> connections;
      for (const std::string& name : names_of(items[i], at))
        reading(at, [&] { connections.emplace_back(model_.at(name)); });
      reading(at, [&] { model_.merge_connections(connections); });
    }
  }

  // A key that is described as exposed is an output where a part drives it.
  void expose() {
    if (const Json* keys = fields_.find("exposed_keys")) {
      const Place here = place_.at("exposed_keys");
      const std::vector<std::string> names = names_of(*keys, here);
      reading(here, [&] { model_.expose_keys(names); });
      return;
    }
    std::vector<std::string> outputs;
    for (const std::string& key : specs_.exposed()) {
      if (model_.at(key).wire()->driver) outputs.push_back(key);
    }
    if (!outputs.empty()) model_.expose_keys(outputs);
  }

  void choose(const char* field, Model& (Model::*set)(const std::vector<std::string>&)) {
    const Json* keys = fields_.find(field);
    if (!keys) return;
    const Place here = place_.at(field);
    const std::vector<std::string> names = names_of(*keys, here);
    reading(here, [&] { (model_.*set)(names); });
  }

  const Place& place_;
  Fields fields_;
  Model model_;
  SpecReader specs_;
};

Model read(const Json& json, const Place& place) {
  if (const auto* name = json.as<std::string>()) return make_named(*name, place);
  if (is_training(json)) return read_training(json, place, read);
  return ModelReader(json, place).run();
}

}  // namespace

Model from_json(std::string_view text) {
  const Json json = guarded_parse(text);
  return read(json, Place());
}

}  // namespace mithril
