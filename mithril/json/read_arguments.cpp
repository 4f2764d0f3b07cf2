#include "mithril/json/read_arguments.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/read_facts.hpp"
#include "mithril/json/values.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/part_argument.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

constexpr const char* padding_types[] = {"valid", "same"};

bool is_composite(const std::string& name) { return lower_case(name) == "model"; }

// An argument of this model, and its kinds if a library model states them.
struct KnownArgument {
  std::string name, kinds;
};
std::vector<KnownArgument> known_arguments(const std::string& name) {
  std::vector<KnownArgument> known;
  if (const ModelDef* def = try_find_model(name)) {
    for (const ArgumentDef& argument : def->arguments)
      known.push_back({argument.name, argument.kinds});
  } else if (const OpDef* op = try_find_op(name)) {
    for (const PortDef& port : op->inputs) known.push_back({port.name, ""});
  }
  return known;
}

// A class name, or an object with "name": see models/part_argument.hpp.
Datum model_argument(const Json& json, const Place& place) {
  if (!json.as<Json::Object>()) return text_of(json, place);
  const Fields fields(json, place,
                      {"name", "args", "tuples", "enums", "given_name", "assigned_types", "types"});
  Model model = make_named(fields, place);
  if (const Json* name = fields.find("given_name"))
    model.part()->give_name(text_of(*name, place.at("given_name")));
  read_types(model, fields, place);
  return reading(place, [&] { return argument_of(model); });
}

Datum argument(const Json& json, const std::string& kinds, const Place& place) {
  if (kinds == "model") return model_argument(json, place);
  if (kinds == "names|none" && json.as<Json::Object>()) {
    Tuple names;
    for (const auto& [what, name] : object_of(json, place))
      names.emplace_back(Tuple{what, text_of(name, place.at(what))});
    return Datum(std::move(names));
  }
  if (kinds != "models") return datum_of(json, place);
  Tuple models;
  const Json::Array& items = array_of(json, place);
  for (size_t i = 0; i < items.size(); ++i) models.push_back(model_argument(items[i], place.at(i)));
  return Datum(std::move(models));
}

[[noreturn]] void refuse_argument(const std::string& model, const std::string& argument,
                                  const Place& place, const std::vector<KnownArgument>& known) {
  std::vector<std::string> names;
  for (const KnownArgument& candidate : known) names.push_back(candidate.name);
  unknown_member(ErrorKind::name, "E0605", model, "argument", argument, place.pointer(), names);
}

const KnownArgument* find(const std::vector<KnownArgument>& known, const std::string& name) {
  const auto is_it = [&](const KnownArgument& candidate) { return candidate.name == name; };
  const auto at = std::find_if(known.begin(), known.end(), is_it);
  return at == known.end() ? nullptr : &*at;
}

// Files store the members of an enumeration as numbers. An argument may be left out.
void name_members(Arguments& arguments, const Json& enums, const Place& place) {
  for (const auto& [name, type] : object_of(enums, place)) {
    const Place here = place.at(name);
    if (text_of(type, here) != "PaddingType")
      unknown_name(ErrorKind::name, "E0642", "enumeration", text_of(type, here), here.pointer(),
                   {"PaddingType"});
    const auto at =
        std::find_if(arguments.begin(), arguments.end(),
                     [&, &name = name](const auto& argument) { return argument.first == name; });
    if (at == arguments.end() || at->second.kind() != kind::int_value) continue;
    const int64_t member = at->second.integer();
    if (member < 0 || member > 1) wrong_form(Json(member), here, "0 (valid) or 1 (same)");
    at->second = padding_types[member];
  }
}

// An argument may be left out.
void check_tuples(const Json::Object& args, const Json& tuples, const Place& place) {
  const std::vector<std::string> names = names_of(tuples, place);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto is_it = [&](const auto& field) { return field.first == names[i]; };
    const auto at = std::find_if(args.begin(), args.end(), is_it);
    if (at != args.end() && !at->second.as<Json::Array>())
      wrong_form(Json(names[i]), place.at(i), "the name of an argument that is an array");
  }
}

}  // namespace

Model make_named(const std::string& name, const Place& place) {
  if (is_composite(name)) return {};
  return reading(place, [&] { return make_model(name); });
}

Model make_named(const Fields& fields, const Place& place, bool opened) {
  const std::string& name = text_of(fields.need("name"), place.at("name"));
  const Json* given = fields.find("args");
  const Place here = place.at("args");
  const Json::Object args = given ? object_of(*given, here) : Json::Object();
  const bool composite = is_composite(name);
  if (!composite && !try_find_model(name) && !try_find_op(name))
    return make_named(name, place.at("name"));
  const std::vector<KnownArgument> known = known_arguments(name);
  Arguments arguments;
  for (const auto& [key, json] : args) {
    const KnownArgument* argued = find(known, key);
    if (!argued) refuse_argument(name, key, here, known);
    arguments.emplace_back(key, argument(json, argued->kinds, here.at(key)));
  }
  if (const Json* tuples = fields.find("tuples")) check_tuples(args, *tuples, place.at("tuples"));
  if (const Json* enums = fields.find("enums")) name_members(arguments, *enums, place.at("enums"));
  if (composite) return {};
  return reading(given ? here : place.at("name"), [&] {
    return opened ? make_opened(name, arguments) : make_model(name, arguments);
  });
}

}  // namespace mithril
