// Reads models from their JSON form.
#include <algorithm>
#include <map>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/json/model_form.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/json/read_arguments.hpp"
#include "mithril/json/read_facts.hpp"
#include "mithril/json/read_specs.hpp"
#include "mithril/json/read_training.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

Model read(const Json& json, const Place& place);
Model read_part(const Json& json, const Place& place, const Functions* functions, bool opened);

// Parts are named by their ids.
void name_parts(std::vector<std::pair<std::string, Model>>& parts) {
  for (auto& [id, model] : parts) {
    Part& part = *model.part();
    if (part.given_name().empty() && part.label() != id) part.give_name(id);
  }
}

// Here a string is never meant as a value: it may name a value that the part has.
void state_names(Part& part, Bindings& bindings) {
  for (auto& [port, binding] : bindings) {
    const auto* name = std::get_if<std::string>(&binding.held());
    const bool is_port = part.op || find_port(static_cast<Composite&>(part), port);
    if (name && is_port) binding = IOKey{.name = *name};
  }
}

class ModelReader {
 public:
  // `functions`: of the constraints; null: the form has none.
  ModelReader(const Json& json, const Place& place, const Functions* functions, bool opened)
      : place_(place),
        functions_(functions),
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
                 "types",
                 "assigned_values",
                 "assigned_differentiabilities",
                 "assigned_intervals",
                 "assigned_initializers",
                 "assigned_cins",
                 "assigned_couts",
                 "state_keys",
                 "constraints"}),
        model_(make_named(fields_, place, opened)),
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
    add_constraints();
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
        parts.emplace_back(id, read_part(json, here, functions_, false));
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
      state_names(*part.part(), bindings);
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

  // A key that is described as exposed is an output if a part computes it.
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
    if (outputs.empty() && !specs_.fed().empty()) outputs = outputs_but_fed();
    if (!outputs.empty()) model_.expose_keys(outputs);
  }

  // Empty if none of the fed inputs is an output.
  std::vector<std::string> outputs_but_fed() const {
    std::vector<std::string> outputs = model_.output_keys();
    const size_t erased = std::erase_if(outputs, [&](const std::string& key) {
      const Wire* wire = model_.at(key).wire();
      return std::any_of(specs_.fed().begin(), specs_.fed().end(),
                         [&](const Connection& fed) { return fed.wire() == wire; });
    });
    return erased > 0 ? outputs : std::vector<std::string>();
  }

  void add_constraints() {
    const Json* constraints = fields_.find("constraints");
    if (!constraints) return;
    const Place here = place_.at("constraints");
    if (!functions_) wrong_form(*constraints, here, "no constraints, which are functions");
    for (const Json& constraint : array_of(*constraints, here)) {
      const Json::Array& items = items_of(constraint, here, 2, "[keys, number]");
      model_.add_constraint(functions_->at(static_cast<size_t>(integer_of(items[1], here))),
                            names_of(items[0], here));
    }
  }

  void choose(const char* field, Model& (Model::*set)(const std::vector<std::string>&)) {
    const Json* keys = fields_.find(field);
    if (!keys) return;
    const Place here = place_.at(field);
    const std::vector<std::string> names = names_of(*keys, here);
    reading(here, [&] { (model_.*set)(names); });
  }

  const Place& place_;
  const Functions* functions_;
  Fields fields_;
  Model model_;
  SpecReader specs_;
};

Model read_part(const Json& json, const Place& place, const Functions* functions, bool opened) {
  if (const auto* name = json.as<std::string>()) return make_named(*name, place);
  if (is_training(json)) return read_training(json, place, read);
  return ModelReader(json, place, functions, opened).run();
}

Model read(const Json& json, const Place& place) { return read_part(json, place, nullptr, false); }

}  // namespace

Model from_form(const Json& form, const Functions& functions, bool opened) {
  return read_part(form, Place(), &functions, opened);
}

Model from_json(std::string_view text) {
  const Json json = guarded_parse(text);
  return read(json, Place());
}

}  // namespace mithril
