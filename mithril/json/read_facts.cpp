#include "mithril/json/read_facts.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/json/values.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// Inputs, then outputs.
std::vector<std::string> port_names(Part& part) {
  std::vector<std::string> names;
  if (part.op) {
    for (size_t i = 0; i < part.op->port_count(); ++i) names.push_back(part.op->port(i).name);
    return names;
  }
  const Model model(
      std::static_pointer_cast<Part>(static_cast<Composite&>(part).shared_from_this()));
  names = model.input_keys();
  for (std::string& key : model.output_keys()) names.push_back(std::move(key));
  return names;
}

// A key, or the port of a part as the Python library writes it: [part, number among its inputs and
// then its outputs].
std::string key_of(const Model& model, const Json& json, const Place& place) {
  if (!json.as<Json::Array>()) return text_of(json, place);
  const Json::Array& pair = items_of(json, place, 2, "[part, number of its port]");
  const std::string& id = text_of(pair[0], place.at(size_t{0}));
  const Place at = place.at(size_t{1});
  const int64_t number = integer_of(pair[1], at);
  const auto composite = model.composite();
  const auto part =
      std::find_if(composite->parts.begin(), composite->parts.end(),
                   [&](const auto& candidate) { return composite->name_of(*candidate) == id; });
  if (part == composite->parts.end()) {
    std::vector<std::string> names;
    for (const auto& candidate : composite->parts) names.push_back(composite->name_of(*candidate));
    unknown_name(ErrorKind::name, "E0641", "part", id, place.pointer(), names);
  }
  const std::vector<std::string> ports = port_names(**part);
  if (number < 0 || number >= static_cast<int64_t>(ports.size()))
    wrong_form(pair[1], at, "a number below " + std::to_string(ports.size()));
  return id + "." + ports[static_cast<size_t>(number)];
}

// Each entry of a field: [key, fact], or the facts by their keys.
template <typename State>
void each(const Model& model, const Fields& fields, const Place& place, const char* field,
          State state) {
  const Json* entries = fields.find(field);
  if (!entries) return;
  const Place here = place.at(field);
  if (const auto* facts = entries->as<Json::Object>()) {
    for (const auto& [key, fact] : *facts) {
      const Place at = here.at(key);
      state(key, fact, at);
    }
    return;
  }
  const Json::Array& items = array_of(*entries, here);
  for (size_t i = 0; i < items.size(); ++i) {
    const Place at = here.at(i);
    const Json::Array& entry = items_of(items[i], at, 2, "[key, fact]");
    const std::string key = key_of(model, entry[0], at.at(size_t{0}));
    const Place fact = at.at(size_t{1});
    state(key, entry[1], fact);
  }
}

Binding value_of(const Json& json, const Place& place) {
  if (json.as<Json::Object>() && !is_value_object(json)) return tensor_of(json, place);
  return datum_of(json, place);
}

Initializer initializer_of(const Json& json, const Place& place) {
  const Fields fields(json, place, {"law", "a", "b", "fan_of", "zero_row", "stacked"});
  constexpr std::pair<const char*, Initializer::Distribution> distributions[] = {
      {"zeros", Initializer::Distribution::zeros},
      {"ones", Initializer::Distribution::ones},
      {"constant", Initializer::Distribution::constant},
      {"uniform", Initializer::Distribution::uniform},
      {"normal", Initializer::Distribution::normal},
      {"uniform_fan_in", Initializer::Distribution::uniform_fan_in},
      {"uniform_fan_out", Initializer::Distribution::uniform_fan_out},
      {"uniform_fan_mean", Initializer::Distribution::uniform_fan_mean},
      {"normal_fan_in", Initializer::Distribution::normal_fan_in},
      {"normal_fan_out", Initializer::Distribution::normal_fan_out},
      {"normal_fan_mean", Initializer::Distribution::normal_fan_mean},
      {"function", Initializer::Distribution::function}};
  Initializer initializer;
  const Json& name = fields.need("law");
  bool known = false;
  for (const auto& [text, distribution] : distributions) {
    if (text_of(name, place.at("law")) != text) continue;
    initializer.distribution = distribution;
    known = true;
  }
  if (!known) {
    wrong_form(name, place.at("law"),
               "one of zeros, ones, constant, uniform, normal, uniform_fan_in, uniform_fan_out, "
               "uniform_fan_mean, normal_fan_in, normal_fan_out, normal_fan_mean, function");
  }
  if (const Json* a = fields.find("a")) initializer.a = real_of(*a, place.at("a"));
  if (const Json* b = fields.find("b")) initializer.b = real_of(*b, place.at("b"));
  if (const Json* key = fields.find("fan_of"))
    initializer.fan_of = text_of(*key, place.at("fan_of"));
  if (const Json* row = fields.find("zero_row")) {
    const auto* number = row->as<int64_t>();
    if (!number || *number < 0) wrong_form(*row, place.at("zero_row"), "an int of at least 0");
    initializer.zero_row = *number;
  }
  if (const Json* axes = fields.find("stacked")) {
    const auto* number = axes->as<int64_t>();
    if (!number || *number < 0) wrong_form(*axes, place.at("stacked"), "an int of at least 0");
    initializer.stacked = *number;
  }
  return initializer;
}

// {"random_key": seed}, or a tensor.
InitialState initial_state_of(const Json& json, const Place& place) {
  const auto* object = json.as<Json::Object>();
  if (!object || object->size() != 1 || object->front().first != "random_key")
    return tensor_of(json, place);
  const Place here = place.at("random_key");
  const auto* seed = object->front().second.as<int64_t>();
  if (!seed) wrong_form(object->front().second, here, "an int, the seed");
  return RandomKey{*seed};
}

void read_states(Model& model, const Fields& fields, const Place& place) {
  const Json* states = fields.find("state_keys");
  if (!states) return;
  const Place here = place.at("state_keys");
  const Json::Array& items = array_of(*states, here);
  for (size_t i = 0; i < items.size(); ++i) {
    const Place at = here.at(i);
    const Json::Array& state = items_of(items[i], at, 3, "[input, output, initial value]");
    const std::string& input = text_of(state[0], at.at(size_t{0}));
    const std::string& output = text_of(state[1], at.at(size_t{1}));
    const InitialState initial = initial_state_of(state[2], at.at(size_t{2}));
    reading(at, [&] { model.bind_state_keys(input, output, initial); });
  }
}

}  // namespace

void read_types(Model& model, const Fields& fields, const Place& place) {
  for (const char* field : {"assigned_types", "types"}) {
    each(model, fields, place, field, [&](const std::string& key, const Json& fact, auto& at) {
      const PortType type = type_of(fact, at);
      reading(at, [&] { model.set_types({{key, type}}); });
    });
  }
}

void read_facts(Model& model, const Fields& fields, const Place& place) {
  each(model, fields, place, "assigned_shapes",
       [&](const std::string& key, const Json& fact, auto& at) {
         const ShapeSpec shape = shape_of(fact, at);
         reading(at, [&] { model.set_shapes({{key, shape}}); });
       });
  read_types(model, fields, place);
  each(model, fields, place, "assigned_values",
       [&](const std::string& key, const Json& fact, auto& at) {
         const Binding value = value_of(fact, at);
         reading(at, [&] { model.set_values({{key, value}}); });
       });
  each(model, fields, place, "assigned_differentiabilities",
       [&](const std::string& key, const Json& fact, auto& at) {
         const bool flag = flag_of(fact, at);
         reading(at, [&] { model.set_differentiability({{key, flag}}); });
       });
  each(model, fields, place, "assigned_intervals",
       [&](const std::string& key, const Json& fact, auto& at) {
         const Json::Array& ends = items_of(fact, at, 2, "[low, high]");
         const Datum low = datum_of(ends[0], at.at(size_t{0})),
                     high = datum_of(ends[1], at.at(size_t{1}));
         if (!(low.kind() & high.kind() & kind::number)) wrong_form(fact, at, "[low, high]");
         const Connection described(IOKey{.interval = std::pair(low.real(), high.real())});
         reading(at, [&] { model.merge_connections({model.at(key), described}); });
       });
  each(model, fields, place, "assigned_initializers",
       [&](const std::string& key, const Json& fact, auto& at) {
         const Initializer initializer = initializer_of(fact, at);
         reading(at, [&] { model.set_initializer(key, initializer); });
       });
  read_states(model, fields, place);
}

}  // namespace mithril
