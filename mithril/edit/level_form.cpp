#include "mithril/edit/level_form.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/json/write_facts.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

const std::string& text_in(const Json& json) { return *json.as<std::string>(); }

// Removes the field and returns it; null if there is none.
Json taken(Json::Object& fields, std::string_view name) {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const auto& field) { return field.first == name; });
  if (at == fields.end()) return {};
  Json json = std::move(at->second);
  fields.erase(at);
  return json;
}

constexpr const char* fact_fields[] = {"assigned_shapes",    "assigned_types",
                                       "assigned_values",    "assigned_differentiabilities",
                                       "assigned_intervals", "assigned_initializers"};

}  // namespace

std::string FormNet::name() const {
  if (!keys.empty()) return keys.front();
  return giver.empty() ? ends.front().path() : giver;
}

std::optional<std::pair<std::string, size_t>> item_of(const FormPart& part,
                                                      const std::string& port) {
  for (const auto& [list, count] : part.lists) {
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      if (port == list + "_" + std::to_string(i)) return {{list, i}};
    }
  }
  return {};
}

FormPart form_of_part(std::string id, const Part& part, Functions& functions) {
  FormPart form{std::move(id), model_form(part, functions)};
  if (!part.op) return form;
  for (size_t i = 0; i < part.op->port_count(); ++i) {
    const PortDef& port = part.op->port(i);
    // An op that is in no model has no ports yet.
    if (port.list) form.lists.emplace_back(port.name, part.owner ? part.count(port.name) : 0);
  }
  return form;
}

LevelForm::LevelForm(Composite& from, Functions& functions) : model(from), level_(level_of(from)) {
  MITHRIL_CHECK(!from.recipe && !from.completion, "an edit inside a model of the library");
  for (const auto& part : from.parts)
    parts.push_back(form_of_part(from.name_of(*part), *part, functions));
  FactsWriter facts(from, level_);
  for (size_t i = 0; i < level_.groups.size(); ++i) {
    const Group& group = level_.groups[i];
    FormNet net;
    for (const size_t key : group.keys) net.keys.emplace_back(*from.keys[key].name);
    for (const size_t at : group.endpoints) {
      const Endpoint& end = level_.endpoints[at];
      net.ends.push_back({end.id, end.port, end.wire});
    }
    if (net.keys.empty()) {
      if (facts.names_late(i)) net.giver = facts.name(i);
      Json literal;
      if (facts.literal(i, literal)) net.literal = std::move(literal);
    } else {
      std::iter_swap(net.keys.begin(), std::find(net.keys.begin(), net.keys.end(), facts.name(i)));
    }
    nets.push_back(std::move(net));
  }
  for (const Key& key : from.keys) keys.emplace_back(*key.name);
  if (from.exposes_keys) {
    exposed.emplace();
    for (const Key& key : from.keys) {
      if (key.exposed) exposed->emplace_back(*key.name);
    }
  }
  Json::Object fields;
  facts.write(fields);
  taken(fields, "constraints");
  read(fields);
  for (const StatedFact& fact : from.statements) {
    const auto* constraint = std::get_if<StatedConstraint>(&fact.what);
    if (!constraint) continue;
    FormConstraint form{{}, static_cast<int64_t>(functions.size())};
    for (const std::string& key : constraint->keys) {
      Wire* wire = find_port(from, key);
      form.nets.push_back(net_of(wire).value());
    }
    functions.push_back(constraint->ask);
    constraints.push_back(std::move(form));
  }
}

void LevelForm::read(const Json::Object& fields) {
  const auto nets_of = [&](const Json& names) {
    std::vector<size_t> found;
    for (const Json& name : *names.as<Json::Array>()) {
      if (const auto net = net_named(text_in(name))) found.push_back(*net);
    }
    return found;
  };
  for (const auto& [field, json] : fields) {
    if (field == "assigned_cins") {
      inputs = nets_of(json);
    } else if (field == "assigned_couts") {
      outputs = nets_of(json);
    } else if (field == "state_keys") {
      for (const Json& state : *json.as<Json::Array>()) {
        const auto& items = *state.as<Json::Array>();
        states.push_back(
            {net_named(text_in(items[0])).value(), net_named(text_in(items[1])).value(), items[2]});
      }
    } else {
      read_facts(field, *json.as<Json::Array>());
    }
  }
}

void LevelForm::read_facts(const std::string& field, const Json::Array& entries) {
  for (const Json& entry : entries) {
    const auto& items = *entry.as<Json::Array>();
    FormFact fact{field, items[1]};
    if (field == "assigned_initializers") {
      const Json fan_of = taken(*fact.fact.as<Json::Object>(), "fan_of");
      if (fan_of.as<std::string>()) fact.fan_of = net_named(text_in(fan_of));
    }
    nets[net_named(text_in(items[0])).value()].facts.push_back(std::move(fact));
  }
}

std::optional<size_t> LevelForm::net_of(Wire* wire) const {
  const auto at = level_.group_of.find(wire_in(model, wire));
  if (at == level_.group_of.end()) return {};
  return joined(at->second);
}

size_t LevelForm::joined(size_t net) const {
  while (nets[net].joined) net = *nets[net].joined;
  return net;
}

std::optional<size_t> LevelForm::net_named(const std::string& name) const {
  for (size_t i = 0; i < nets.size(); ++i) {
    if (std::find(nets[i].keys.begin(), nets[i].keys.end(), name) != nets[i].keys.end()) return i;
  }
  for (size_t i = 0; i < nets.size(); ++i) {
    for (const FormEnd& end : nets[i].ends) {
      if (end.path() == name) return i;
    }
  }
  return {};
}

bool LevelForm::has_end(const std::string& id, const std::string& port) const {
  return std::any_of(nets.begin(), nets.end(), [&](const FormNet& net) {
    return std::any_of(net.ends.begin(), net.ends.end(),
                       [&](const FormEnd& end) { return end.id == id && end.port == port; });
  });
}

size_t LevelForm::place_of(const std::string& id) const {
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const FormPart& part) { return part.id == id; });
  return static_cast<size_t>(at - parts.begin());
}

FormPart& LevelForm::part(const std::string& id) { return parts[place_of(id)]; }

std::string LevelForm::free_id(const std::string& label) const {
  std::string id = label;
  for (size_t number = 1; place_of(id) < parts.size(); ++number)
    id = label + "_" + std::to_string(number);
  return id;
}

void LevelForm::join(size_t into, size_t from) {
  into = joined(into);
  from = joined(from);
  if (into == from) return;
  FormNet old = std::exchange(nets[from], {});
  FormNet& net = nets[into];
  net.keys.insert(net.keys.end(), old.keys.begin(), old.keys.end());
  net.ends.insert(net.ends.end(), old.ends.begin(), old.ends.end());
  net.facts.insert(net.facts.end(), old.facts.begin(), old.facts.end());
  if (!net.literal) net.literal = old.literal;
  nets[from].joined = into;
}

bool LevelForm::is_driven(size_t net) const {
  const auto& ends = nets[net].ends;
  return std::any_of(ends.begin(), ends.end(), [&](const FormEnd& end) {
    const Wire* wire = end.wire ? top(end.wire) : nullptr;
    return wire && wire->driver && is_inside(wire->driver, model);
  });
}

void LevelForm::drop_ends(const std::string& id) {
  for (FormNet& net : nets) {
    if (std::erase_if(net.ends, [&](const FormEnd& end) { return end.id == id; }) == 0) continue;
    if (net.giver.starts_with(id + ".")) net.giver.clear();
    if (net.ends.empty()) net.keys.clear();
  }
}

Json LevelForm::connections() const {
  std::unordered_map<std::string, Json::Object> specs;
  const Json unnamed(Json::Object{{"key", Json::Object()}});
  for (const FormPart& part : parts) {
    for (const auto& [list, count] : part.lists)
      specs[part.id].emplace_back(list, Json::Array(static_cast<size_t>(count), unnamed));
  }
  const auto bind = [&](const FormEnd& end, Json spec) {
    Json::Object& ports = specs[end.id];
    const auto item = item_of(parts[place_of(end.id)], end.port);
    if (!item) return static_cast<void>(ports.emplace_back(end.port, std::move(spec)));
    const auto list = std::find_if(ports.begin(), ports.end(),
                                   [&](const auto& port) { return port.first == item->first; });
    (*list->second.as<Json::Array>())[item->second] = std::move(spec);
  };
  for (const FormNet& net : nets) {
    for (const FormEnd& end : net.ends) {
      if (!net.keys.empty()) {
        bind(end, net.keys.front());
      } else if (&end == &net.ends.front()) {
        if (net.literal) bind(end, *net.literal);
      } else if (net.giver.empty()) {
        const FormEnd& first = net.ends.front();
        bind(end, Json::Object{{"key", Json::Object{{"connect", Json::Array{Json(Json::Array{
                                                                    first.id, first.port})}}}}});
      }
    }
  }
  Json::Object all;
  for (const FormPart& part : parts) {
    const auto at = specs.find(part.id);
    if (at != specs.end() && !at->second.empty()) all.emplace_back(part.id, std::move(at->second));
  }
  return all;
}

void LevelForm::write_facts(Json::Object& fields) const {
  const auto write = [&](const char* field, Json::Array items) {
    if (!items.empty()) fields.emplace_back(field, std::move(items));
  };
  const auto names = [&](const std::vector<size_t>& wanted) {
    Json::Array found;
    for (const size_t net : wanted) {
      const FormNet& now = nets[joined(net)];
      if (!now.is_gone()) found.emplace_back(now.name());
    }
    return found;
  };
  for (const char* field : fact_fields) {
    Json::Array entries;
    for (const FormNet& net : nets) {
      for (const FormFact& fact : net.facts) {
        if (fact.field != field || net.is_gone()) continue;
        Json json = fact.fact;
        const FormNet* fan_of = fact.fan_of ? &nets[joined(*fact.fan_of)] : nullptr;
        if (fan_of && !fan_of->is_gone())
          json.as<Json::Object>()->emplace_back("fan_of", fan_of->name());
        entries.emplace_back(Json::Array{net.name(), std::move(json)});
      }
    }
    write(field, std::move(entries));
  }
  Json::Array bound, asked;
  for (const FormState& state : states) {
    const FormNet &input = nets[joined(state.input)], &output = nets[joined(state.output)];
    if (input.is_gone() || output.is_gone()) continue;
    bound.emplace_back(Json::Array{input.name(), output.name(), state.initial});
  }
  write("state_keys", std::move(bound));
  for (const FormConstraint& constraint : constraints) {
    Json::Array read = names(constraint.nets);
    if (read.size() == constraint.nets.size())
      asked.emplace_back(Json::Array{std::move(read), constraint.function});
  }
  write("constraints", std::move(asked));
  if (inputs) fields.emplace_back("assigned_cins", names(*inputs));
  if (outputs) fields.emplace_back("assigned_couts", names(*outputs));
}

Json LevelForm::json() {
  for (FormNet& net : nets) {
    std::stable_sort(net.ends.begin(), net.ends.end(), [&](const FormEnd& a, const FormEnd& b) {
      return place_of(a.id) < place_of(b.id);
    });
  }
  Json::Object fields{{"name", "Model"}};
  if (!model.given_name().empty()) fields.emplace_back("given_name", model.given_name());
  Json::Array named, merged;
  const auto has_key = [&](const std::string& key) {
    return std::any_of(nets.begin(), nets.end(), [&](const FormNet& net) {
      return std::find(net.keys.begin(), net.keys.end(), key) != net.keys.end();
    });
  };
  for (const std::string& key : keys) {
    if (has_key(key)) named.emplace_back(key);
  }
  Json::Object models;
  for (const FormPart& part : parts) models.emplace_back(part.id, part.json);
  for (const FormNet& net : nets) {
    Json::Array names(net.keys.begin(), net.keys.end());
    if (net.keys.empty() && !net.giver.empty()) {
      names.emplace_back(net.giver);
      for (const FormEnd& end : net.ends) {
        if (end.path() != net.giver) names.emplace_back(end.path());
      }
    }
    if (names.size() > 1) merged.emplace_back(std::move(names));
  }
  if (!named.empty()) fields.emplace_back("keys", std::move(named));
  fields.emplace_back("submodels", std::move(models));
  fields.emplace_back("connections", connections());
  if (!merged.empty()) fields.emplace_back("merged", std::move(merged));
  if (exposed) {
    Json::Array out;
    for (const std::string& key : *exposed) {
      if (has_key(key)) out.emplace_back(key);
    }
    fields.emplace_back("exposed_keys", std::move(out));
  }
  write_facts(fields);
  return fields;
}

}  // namespace mithril
