// Writes models in their JSON form.
#include <algorithm>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/level.hpp"
#include "mithril/json/model_form.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/json/values.hpp"
#include "mithril/json/write_arguments.hpp"
#include "mithril/json/write_facts.hpp"
#include "mithril/json/write_training.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr int most_nested = 120;  // nested models: the limit of the guarded parse

Json json_of_part(const Part& part);

// A connection of this level: how ports are bound to it.
class LevelWriter {
 public:
  explicit LevelWriter(const Composite& model)
      : model_(model), level_(level_of(model)), facts_(model, level_) {}

  void write(Json::Object& fields) {
    for (size_t i = 0; i < level_.groups.size(); ++i) plan(i);
    write_parts(fields);
    write_keys(fields);
    if (!merged_.empty()) fields.emplace_back("merged", std::move(merged_));
    facts_.write(fields);
  }

 private:
  // Chooses the binding of an item of a group, and the connections to add afterwards.
  void plan(size_t index) {
    const Group& group = level_.groups[index];
    std::vector<std::string> names;  // of wires that adding the parts does not connect
    std::unordered_set<const Wire*> seen;
    for (const size_t key : group.keys) {
      const bool by_recipe = key < keys_by_recipe(model_);
      if (!by_recipe ||
          seen.insert(top_before(model_.keys[key].wire, model_.recipe->made_at)).second)
        names.emplace_back(*model_.keys[key].name);
    }
    for (const size_t at : group.endpoints) {
      const Endpoint& end = level_.endpoints[at];
      const bool apart = end.by_recipe ? seen.insert(end.wire).second
                                       : group.keys.empty() && facts_.names_late(index);
      if (end.part && apart) names.push_back(end.path());
    }
    const std::string& giver = facts_.name(index);
    const auto at = std::find(names.begin(), names.end(), giver);
    if (at != names.end()) std::rotate(names.begin(), at, at + 1);
    if (names.size() < 2) return;
    Json::Array joined;
    for (std::string& name : names) joined.emplace_back(std::move(name));
    merged_.emplace_back(std::move(joined));
  }

  void write_parts(Json::Object& fields) {
    Json::Object parts, connections;
    size_t end = 0;
    while (end < level_.endpoints.size() && level_.endpoints[end].by_recipe) ++end;
    for (size_t i = parts_by_recipe(model_); i < model_.parts.size(); ++i) {
      const Part& part = *model_.parts[i];
      std::string id = model_.name_of(part);
      Json json = json_of_part(part);
      if (!part.given_name().empty() && part.given_name() != id)
        json.as<Json::Object>()->emplace_back("given_name", part.given_name());
      parts.emplace_back(id, std::move(json));
      Json::Object specs = part.op ? op_specs(part, end) : model_specs(part, end);
      if (!specs.empty()) connections.emplace_back(std::move(id), std::move(specs));
    }
    if (!parts.empty()) fields.emplace_back("submodels", std::move(parts));
    if (!connections.empty()) fields.emplace_back("connections", std::move(connections));
  }

  // Both advance `end` past the endpoints of the part. A model may have none.
  Json::Object model_specs(const Part& part, size_t& end) {
    Json::Object specs;
    for (; end < level_.endpoints.size() && level_.endpoints[end].part == &part; ++end) {
      Json spec;
      if (has_spec(end, spec)) specs.emplace_back(level_.endpoints[end].port, std::move(spec));
    }
    return specs;
  }

  Json::Object op_specs(const Part& part, size_t& end) {
    Json::Object specs;
    size_t slot = 0;
    for (size_t i = 0; i < part.op->port_count(); ++i) {
      const PortDef& port = part.op->port(i);
      const auto is_its = [&] { return slot < part.slot_count && part.port_of(slot) == i; };
      Json::Array items;
      for (; is_its(); ++slot, ++end) {
        Json spec;
        if (has_spec(end, spec)) {
          items.push_back(std::move(spec));
        } else if (port.list) {
          items.emplace_back(Json::Object{{"key", Json::Object()}});
        }
      }
      if (port.list) {
        specs.emplace_back(port.name, std::move(items));
      } else if (!items.empty()) {
        specs.emplace_back(port.name, std::move(items.front()));
      }
    }
    return specs;
  }

  // The binding of a port; false: it has none of its own.
  bool has_spec(size_t end, Json& spec) {
    if (!level_.endpoints[end].wire) return false;  // left out
    const size_t index = level_.group_of.at(wire_in(model_, level_.endpoints[end].wire));
    const Group& group = level_.groups[index];
    if (!group.keys.empty()) {
      spec = facts_.name(index);
      name(facts_.name(index));
      return true;
    }
    if (group.endpoints.front() == end) return facts_.literal(index, spec);
    if (facts_.names_late(index)) return false;
    const Endpoint& first = level_.endpoints[group.endpoints.front()];
    spec = Json::Object{
        {"key", Json::Object{{"connect", Json::Array{Json(Json::Array{first.id, first.port})}}}}};
    return true;
  }

  void name(const std::string& key) {
    if (known_.insert(key).second) order_.push_back(key);
  }

  // Keys, if naming them in the connections does not give their order.
  void write_keys(Json::Object& fields) {
    std::vector<std::string> wanted;
    Json::Array renamed, keys, exposed;
    const size_t made = keys_by_recipe(model_);
    for (size_t i = 0; i < model_.keys.size(); ++i) {
      const Key& key = model_.keys[i];
      if (i >= made) wanted.emplace_back(*key.name);
      if (key.exposed) exposed.emplace_back(std::string(*key.name));
    }
    if (model_.recipe) {
      for (const auto& [at, before] : model_.recipe->renamed)
        renamed.emplace_back(Json::Array{before, std::string(*model_.keys[at].name)});
      std::erase_if(order_, [&](const std::string& key) {
        return std::find(wanted.begin(), wanted.end(), key) == wanted.end();
      });
    }
    for (const std::string& key : wanted) keys.emplace_back(key);
    if (!renamed.empty()) fields.emplace_back("renamed", std::move(renamed));
    if (wanted != order_) fields.emplace_back("keys", std::move(keys));
    if (model_.exposes_keys) fields.emplace_back("exposed_keys", std::move(exposed));
  }

  const Composite& model_;
  Level level_;
  FactsWriter facts_;
  Json::Array merged_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> order_;  // of the keys that the connections name
};

Json json_of_part(const Part& part) {
  Json::Object fields;
  if (part.op) {
    write_op(static_cast<const OpPart&>(part), fields);
    return fields;
  }
  const Composite& model = static_cast<const Composite&>(part);
  if (model.completion) {
    write_training(model, fields, json_of_part);
    return fields;
  }
  if (model.recipe) {
    write_recipe(*model.recipe, fields);
  } else {
    fields.emplace_back("name", "Model");
  }
  LevelWriter(model).write(fields);
  return fields;
}

void refuse_deep(int depth) {
  if (depth <= most_nested) return;
  raise({.kind = ErrorKind::value,
         .code = "E0422",
         .message = "models are nested too deep for the JSON form",
         .facts = {{"expected", "at most " + std::to_string(most_nested) + " levels", ""}},
         .help = "compose fewer levels, for example by adding parts to one model"});
}

void refuse_constraints(const Composite& model) {
  for (const StatedFact& fact : model.statements) {
    const auto* constraint = std::get_if<StatedConstraint>(&fact.what);
    if (!constraint) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0424",
           .path = path(&model),
           .message = "a constraint is a function, and has no JSON form",
           .facts = {{"keys", join(constraint->keys, ", "), ""}},
           .help = "write the model before the constraint is added, and add it after reading"});
  }
}

void refuse_what_has_no_form(const Part& root, bool constraints) {
  std::vector<std::pair<const Part*, int>> open{{&root, 1}};
  while (!open.empty()) {
    const auto [part, depth] = open.back();
    open.pop_back();
    if (part->op) continue;
    const Composite& model = static_cast<const Composite&>(*part);
    refuse_deep(depth);
    if (constraints) refuse_constraints(model);
    for (const auto& child : model.parts) open.emplace_back(child.get(), depth + 1);
  }
}

// To compare models, a constraint is written as the keys that it reads.
Json json_of(const Model& model, bool constraints) {
  const Part& part = *model.part();
  if (!part.op) root_of(std::static_pointer_cast<Composite>(model.part()));
  refuse_what_has_no_form(part, !constraints);
  Json json = json_of_part(part);
  if (!part.given_name().empty())
    json.as<Json::Object>()->emplace_back("given_name", part.given_name());
  return json;
}

// Gives the constraints of a form their numbers.
void number_constraints(Json& form, const Part& part, Functions& functions) {
  if (part.op) return;
  const Composite& model = static_cast<const Composite&>(part);
  if (model.completion) return refuse_what_has_no_form(part, true);
  Json::Object& fields = *form.as<Json::Object>();
  for (auto& [field, json] : fields) {
    if (field == "submodels") {
      Json::Object& parts = *json.as<Json::Object>();
      for (size_t i = 0; i < parts.size(); ++i)
        number_constraints(parts[i].second, *model.parts[parts_by_recipe(model) + i], functions);
    }
    if (field != "constraints") continue;
    for (Json& keys : *json.as<Json::Array>()) {
      const Json number(static_cast<int64_t>(functions.size()) +
                        (&keys - json.as<Json::Array>()->data()));
      keys = Json::Array{std::move(keys), number};
    }
  }
  for (const StatedFact& fact : model.statements) {
    if (const auto* constraint = std::get_if<StatedConstraint>(&fact.what))
      functions.push_back(constraint->ask);
  }
}

}  // namespace

Json model_form(const Part& part, Functions& functions) {
  refuse_what_has_no_form(part, false);
  Json form = json_of_part(part);
  if (!part.given_name().empty())
    form.as<Json::Object>()->emplace_back("given_name", part.given_name());
  number_constraints(form, part, functions);
  return form;
}

std::string to_json(const Model& model) { return to_text(json_of(model, false)); }

bool operator==(const Model& a, const Model& b) {
  return a.part() == b.part() || json_of(a, true) == json_of(b, true);
}

}  // namespace mithril
