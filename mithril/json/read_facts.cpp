#include "mithril/json/read_facts.hpp"

#include "mithril/json/values.hpp"

namespace mithril {
namespace {

// Each entry of a field: [key, fact].
template <typename State>
void each(const Fields& fields, const Place& place, const char* field, State state) {
  const Json* entries = fields.find(field);
  if (!entries) return;
  const Place here = place.at(field);
  const Json::Array& items = array_of(*entries, here);
  for (size_t i = 0; i < items.size(); ++i) {
    const Place at = here.at(i);
    const Json::Array& entry = items_of(items[i], at, 2, "[key, what is said about it]");
    const std::string& key = text_of(entry[0], at.at(size_t{0}));
    const Place fact = at.at(size_t{1});
    state(key, entry[1], fact);
  }
}

Binding value_of(const Json& json, const Place& place) {
  if (json.as<Json::Object>() && !is_value_object(json)) return tensor_of(json, place);
  return datum_of(json, place);
}

Initializer initializer_of(const Json& json, const Place& place) {
  const Fields fields(json, place, {"law", "a", "b", "fan_of"});
  constexpr std::pair<const char*, Initializer::Law> laws[] = {
      {"zeros", Initializer::Law::zeros},
      {"ones", Initializer::Law::ones},
      {"constant", Initializer::Law::constant},
      {"uniform", Initializer::Law::uniform},
      {"normal", Initializer::Law::normal},
      {"uniform_fan_in", Initializer::Law::uniform_fan_in}};
  Initializer initializer;
  const Json& name = fields.need("law");
  bool known = false;
  for (const auto& [text, law] : laws) {
    if (text_of(name, place.at("law")) != text) continue;
    initializer.law = law;
    known = true;
  }
  if (!known) {
    wrong_form(name, place.at("law"),
               "one of zeros, ones, constant, uniform, normal, uniform_fan_in");
  }
  if (const Json* a = fields.find("a")) initializer.a = real_of(*a, place.at("a"));
  if (const Json* b = fields.find("b")) initializer.b = real_of(*b, place.at("b"));
  if (const Json* key = fields.find("fan_of"))
    initializer.fan_of = text_of(*key, place.at("fan_of"));
  return initializer;
}

void read_states(Model& model, const Fields& fields, const Place& place) {
  const Json* states = fields.find("state_keys");
  if (!states) return;
  const Place here = place.at("state_keys");
  const Json::Array& items = array_of(*states, here);
  for (size_t i = 0; i < items.size(); ++i) {
    const Place at = here.at(i);
    const Json::Array& state = items_of(items[i], at, 3, "[input, output, {\"tensor\": ...}]");
    const std::string& input = text_of(state[0], at.at(size_t{0}));
    const std::string& output = text_of(state[1], at.at(size_t{1}));
    const Tensor initial = tensor_of(state[2], at.at(size_t{2}));
    reading(at, [&] { model.bind_state_keys(input, output, initial); });
  }
}

}  // namespace

void read_facts(Model& model, const Fields& fields, const Place& place) {
  each(fields, place, "assigned_shapes", [&](const std::string& key, const Json& fact, auto& at) {
    const ShapeSpec shape = shape_of(fact, at);
    reading(at, [&] { model.set_shapes({{key, shape}}); });
  });
  each(fields, place, "assigned_types", [&](const std::string& key, const Json& fact, auto& at) {
    const Kinds kinds = kinds_of(fact, at);
    reading(at, [&] { model.set_types({{key, kinds}}); });
  });
  each(fields, place, "assigned_values", [&](const std::string& key, const Json& fact, auto& at) {
    const Binding value = value_of(fact, at);
    reading(at, [&] { model.set_values({{key, value}}); });
  });
  each(fields, place, "assigned_differentiabilities",
       [&](const std::string& key, const Json& fact, auto& at) {
         const bool flag = flag_of(fact, at);
         reading(at, [&] { model.set_differentiability({{key, flag}}); });
       });
  each(fields, place, "assigned_intervals",
       [&](const std::string& key, const Json& fact, auto& at) {
         const Json::Array& ends = items_of(fact, at, 2, "[low, high]");
         const Datum low = datum_of(ends[0], at.at(size_t{0})),
                     high = datum_of(ends[1], at.at(size_t{1}));
         if (!(low.kind() & high.kind() & kind::number)) wrong_form(fact, at, "[low, high]");
         const Connection described(IOKey{.interval = std::pair(low.real(), high.real())});
         reading(at, [&] { model.merge_connections({model.at(key), described}); });
       });
  each(fields, place, "assigned_initializers",
       [&](const std::string& key, const Json& fact, auto& at) {
         const Initializer initializer = initializer_of(fact, at);
         reading(at, [&] { model.set_initializer(key, initializer); });
       });
  read_states(model, fields, place);
}

}  // namespace mithril
