#include "mithril/json/write_facts.hpp"

#include <algorithm>

#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

bool holds_text(const Datum& datum) {
  if (datum.kind() == kind::string) return true;
  if (datum.kind() != kind::tuple) return false;
  return std::any_of(datum.tuple().begin(), datum.tuple().end(), holds_text);
}

const char* distribution_name(Initializer::Distribution distribution) {
  constexpr const char* names[] = {
      "zeros",         "ones",           "constant",        "uniform",
      "normal",        "uniform_fan_in", "uniform_fan_out", "uniform_fan_mean",
      "normal_fan_in", "normal_fan_out", "normal_fan_mean", "function"};
  return names[static_cast<size_t>(distribution)];
}

// Facts of one sort. Each fact of a connection is written once; of exclusive facts the last.
void add(Json::Array& to, const std::string& name, Json fact, bool last = false) {
  Json entry(Json::Array{name, std::move(fact)});
  const bool again = !to.empty() && to.back().as<Json::Array>()->front() == Json(name);
  if (again && last) to.pop_back();
  if (std::find(to.begin(), to.end(), entry) == to.end()) to.push_back(std::move(entry));
}

Json json_of_initial(const InitialState& initial) {
  if (const auto* key = std::get_if<RandomKey>(&initial))
    return Json::Object{{"random_key", key->seed}};
  return json_of(std::get<Tensor>(initial));
}

}  // namespace

FactsWriter::FactsWriter(const Composite& model, const Level& level)
    : model_(model),
      level_(level),
      names_(level.groups.size()),
      late_(level.groups.size()),
      bound_(level.groups.size()),
      stated_(level.groups.size()) {
  for (size_t i = 0; i < level.groups.size(); ++i) choose_name(i);
  for (const StatedFact& fact : model.statements) {
    if (!fact.wire) continue;
    const auto at = level.group_of.find(wire_in(model, fact.wire));
    if (at != level.group_of.end()) stated_[at->second].push_back(&fact);
  }
}

// The name that the connection has: of two keys or two ports, of the one that gave it.
void FactsWriter::choose_name(size_t index) {
  const Group& group = level_.groups[index];
  if (!group.keys.empty()) {
    names_[index] = *model_.keys[group.keys.front()].name;
    const Wire* wire = top(model_.keys[group.keys.front()].wire);
    for (const size_t key : group.keys) {
      if (wire->home == &model_ && *wire->name == *model_.keys[key].name)
        names_[index] = *wire->name;
    }
    return;
  }
  const Endpoint& first = level_.endpoints[group.endpoints.front()];
  names_[index] = first.path();
  Wire* wire = top(first.wire);
  if (group.endpoints.size() < 2 || wire->driver) return;
  const std::string prefix = path(&model_), full = wire_name(wire);
  for (const size_t at : group.endpoints) {
    const std::string name = level_.endpoints[at].path();
    if (full != (prefix.empty() ? name : prefix + "." + name)) continue;
    late_[index] = at != group.endpoints.front();
    names_[index] = name;
    return;
  }
}

bool FactsWriter::literal(size_t group, Json& spec) {
  for (const StatedFact* fact : stated_[group]) {
    if (const auto* tensor = std::get_if<Tensor>(&fact->what)) {
      spec = json_of(*tensor);
    } else if (const auto* datum = std::get_if<Datum>(&fact->what)) {
      spec = json_of(*datum);
      if (holds_text(*datum))
        spec = Json::Object{{"key", Json::Object{{"value", std::move(spec)}}}};
    } else {
      continue;
    }
    return bound_[group] = true;
  }
  return false;
}

std::string FactsWriter::name_of(Wire* wire) const {
  const auto at = level_.group_of.find(wire_in(model_, wire));
  return at == level_.group_of.end() ? "" : names_[at->second];
}

size_t FactsWriter::local_uses(const Wire* wire) const {
  size_t uses = 0;
  for (const Part* part : all_op_parts(model_)) {
    for (Wire* slot : part->input_slots()) uses += slot && wire_in(model_, slot) == wire;
  }
  return uses;
}

Json::Array FactsWriter::chosen_inputs() const {
  Json::Array names;
  for (const CanonicalPort& port : model_.canonical_inputs) {
    Json name(name_of(port.wire));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

Json::Array FactsWriter::chosen_outputs() const {
  Json::Array names;
  for (const CanonicalPort& port : model_.canonical_outputs) {
    Json name(name_of(port.wire));
    const bool read_since = local_uses(wire_in(model_, port.wire)) > static_cast<size_t>(port.uses);
    if (!read_since && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

void FactsWriter::write(Json::Object& fields) const {
  Json::Array shapes, types, values, flags, intervals, distributions, states, constraints;
  for (size_t i = 0; i < stated_.size(); ++i) {
    const std::string& name = names_[i];
    for (const StatedFact* fact : stated_[i]) {
      if (const auto* shape = std::get_if<ShapeSpec>(&fact->what)) {
        add(shapes, name, json_of(*shape));
      } else if (const auto* type = std::get_if<PortType>(&fact->what)) {
        add(types, name, json_of(*type));
      } else if (const auto* flag = std::get_if<bool>(&fact->what)) {
        add(flags, name, *flag, true);
      } else if (const auto* datum = std::get_if<Datum>(&fact->what)) {
        if (!bound_[i]) add(values, name, json_of(*datum));
      } else if (const auto* tensor = std::get_if<Tensor>(&fact->what)) {
        if (!bound_[i]) add(values, name, json_of(*tensor));
      } else if (const auto* range = std::get_if<std::pair<double, double>>(&fact->what)) {
        add(intervals, name,
            Json::Array{json_of(Datum(range->first)), json_of(Datum(range->second))}, true);
      } else if (const auto* distribution = std::get_if<StatedDistribution>(&fact->what)) {
        const Initializer& start = distribution->initializer;
        Json::Object object{{"law", distribution_name(start.distribution)}};
        if (start.a != 0) object.emplace_back("a", start.a);
        if (start.b != 1) object.emplace_back("b", start.b);
        if (distribution->fan_of) object.emplace_back("fan_of", name_of(distribution->fan_of));
        if (start.zero_row) object.emplace_back("zero_row", *start.zero_row);
        if (start.stacked != 0) object.emplace_back("stacked", start.stacked);
        add(distributions, name, std::move(object), true);
      } else if (const auto* state = std::get_if<StatedState>(&fact->what)) {
        states.emplace_back(
            Json::Array{name, name_of(state->output), json_of_initial(state->initial)});
      }
    }
  }
  const auto write = [&](const char* field, Json::Array& items) {
    if (!items.empty()) fields.emplace_back(field, std::move(items));
  };
  write("assigned_shapes", shapes);
  write("assigned_types", types);
  write("assigned_values", values);
  write("assigned_differentiabilities", flags);
  write("assigned_intervals", intervals);
  write("assigned_initializers", distributions);
  write("state_keys", states);
  for (const StatedFact& fact : model_.statements) {
    const auto* constraint = std::get_if<StatedConstraint>(&fact.what);
    if (!constraint) continue;
    Json::Array keys;
    for (const std::string& key : constraint->keys) keys.emplace_back(key);
    constraints.emplace_back(std::move(keys));
  }
  write("constraints", constraints);
  if (model_.chooses_inputs) fields.emplace_back("assigned_cins", chosen_inputs());
  if (model_.chooses_outputs) fields.emplace_back("assigned_couts", chosen_outputs());
}

}  // namespace mithril
