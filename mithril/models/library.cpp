#include "mithril/models/library.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/models/opening.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

#define MITHRIL_MODEL(file, name) ModelDef define_##file();
#include "mithril/models/list.inc"
#undef MITHRIL_MODEL

namespace {

struct Library {
  std::recursive_mutex mutex;
  std::deque<ModelDef> models;
  std::map<std::string, const ModelDef*, std::less<>> by_name;
  bool filled = false;

  void fill() {
    if (filled) return;
    filled = true;
#define MITHRIL_MODEL(file, name) add_model(define_##file());
#include "mithril/models/list.inc"
#undef MITHRIL_MODEL
  }
};

Library& library() {
  static Library instance;
  return instance;
}

// Pairs of strings.
bool is_names(const Datum& datum) {
  return datum.kind() == kind::tuple &&
         std::all_of(datum.tuple().begin(), datum.tuple().end(), [](const Datum& pair) {
           return pair.kind() == kind::tuple && pair.tuple().size() == 2 &&
                  pair.tuple()[0].kind() == kind::string && pair.tuple()[1].kind() == kind::string;
         });
}

bool is_pair(const Datum& datum) {
  return datum.kind() == kind::tuple && datum.tuple().size() == 2 &&
         datum.tuple().front().kind() == kind::string;
}

bool is_part_argument(const Datum& datum) {
  if (datum.kind() == kind::string) return true;
  if (datum.kind() != kind::tuple) return false;
  const Tuple& items = datum.tuple();
  if (items.size() < 2 || items.size() > 4 || items[0].kind() != kind::string ||
      items[1].kind() != kind::tuple)
    return false;
  return std::all_of(items[1].tuple().begin(), items[1].tuple().end(), is_pair) &&
         (items.size() < 3 || items[2].kind() == kind::string) &&
         (items.size() < 4 || items[3].kind() == kind::tuple);
}

// An int is accepted for a float.
bool fits(const Datum& datum, const ArgumentDef& def) {
  if (def.kinds == "model") return is_part_argument(datum);
  if (def.kinds == "names|none") return datum.is_none() || is_names(datum);
  if (def.kinds == "models") {
    return datum.kind() == kind::tuple &&
           std::all_of(datum.tuple().begin(), datum.tuple().end(), is_part_argument);
  }
  const Kinds kinds = value_kinds(def.kinds);
  return (datum.kind() & kinds) || (datum.kind() == kind::int_value && (kinds & kind::float_value));
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelDef* def : all_models()) names.push_back(def->name);
  for (const OpDef* op : all_ops()) {
    if (!op->internal) names.push_back(op->model_name);
  }
  return names;
}

// NameError E0608 if an argument names an unknown model.
void check_model_name(const Datum& datum, const std::string& place) {
  const std::string& name =
      datum.kind() == kind::string ? datum.text() : datum.tuple().front().text();
  if (!try_find_model(name) && !try_find_op(name))
    unknown_name(ErrorKind::name, "E0608", "model", name, place, model_names());
}

void check_model_names(const Datum& datum, const ArgumentDef& def, const std::string& model) {
  const std::string place = model + ", argument '" + def.name + "'";
  if (def.kinds == "model") check_model_name(datum, place);
  if (def.kinds != "models") return;
  for (const Datum& name : datum.tuple()) check_model_name(name, place);
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "micro, macro or weighted"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::string expected_kinds(const ArgumentDef& def) {
  if (def.kinds == "model") return "a model of the library, or its class name";
  if (def.kinds == "models") return "models of the library, or their class names";
  if (def.kinds == "names|none") return "names by what they are for, or None";
  return to_string_kinds(value_kinds(def.kinds));
}

Arguments renamed(Arguments arguments,
                  const std::vector<std::pair<std::string, std::string>>& names) {
  for (auto& [name, datum] : arguments) {
    for (const auto& [there, here] : names) {
      if (name == there) name = here;
    }
  }
  return arguments;
}

}  // namespace

CheckedArguments::CheckedArguments(std::string_view model, const std::vector<ArgumentDef>& defs,
                                   const Arguments& given)
    : model_(model) {
  std::vector<std::string> names;
  for (const ArgumentDef& def : defs) names.push_back(def.name);
  for (const auto& [name, datum] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown_member(ErrorKind::name, "E0605", model_, "argument", name, "", names);
  }
  for (const ArgumentDef& def : defs) {
    const auto at = std::find_if(given.begin(), given.end(),
                                 [&](const auto& argument) { return argument.first == def.name; });
    if (at == given.end()) {
      if (!def.fallback) {
        raise({.kind = ErrorKind::value,
               .code = "E0408",
               .message = model_ + " needs the argument '" + def.name + "' (" + def.kinds + ")"});
      }
      values_.emplace_back(def.name, *def.fallback);
      continue;
    }
    if (!fits(at->second, def)) {
      raise({.kind = ErrorKind::type,
             .code = "E0304",
             .message = model_ + ": argument '" + def.name + "' has the wrong kind",
             .facts = {{"expected", expected_kinds(def), ""},
                       {"got", to_string(at->second), to_string_kinds(at->second.kind())}}});
    }
    check_model_names(at->second, def, model_);
    values_.emplace_back(def.name, at->second);
    if (def.kinds == "str" && !def.words.empty() && !contains(def.words, at->second.text()))
      reject(def.name, listed(def.words));
  }
}

const Datum& CheckedArguments::operator[](std::string_view name) const {
  for (const auto& [key, datum] : values_) {
    if (key == name) return datum;
  }
  MITHRIL_CHECK(false, model_ + " has no argument '" + std::string(name) + "'");
  std::abort();
}

Model CheckedArguments::part(std::string_view name) const { return made_of((*this)[name]); }

std::vector<int64_t> CheckedArguments::ints(std::string_view name) const {
  const Datum& datum = (*this)[name];
  if (datum.kind() == kind::int_value) return {datum.integer()};
  std::vector<int64_t> numbers;
  for (const Datum& item : datum.tuple()) {
    if (item.kind() != kind::int_value) reject(name, "a tuple of ints");
    numbers.push_back(item.integer());
  }
  return numbers;
}

DimSpec CheckedArguments::size(std::string_view name, DimSpec inferred) const {
  if (!has(name)) return inferred;
  if (integer(name) < 0) reject(name, "at least 0");
  return DimSpec(integer(name));
}

void CheckedArguments::reject(std::string_view name, std::string expected) const {
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = model_ + ": argument '" + std::string(name) + "' is out of range",
         .facts = {{"expected", std::move(expected), ""}, {"got", to_string((*this)[name]), ""}}});
}

const ModelDef& add_model(ModelDef def) {
  Library& lib = library();
  const std::lock_guard lock(lib.mutex);
  lib.fill();
  const std::string key = lower_case(def.name);
  MITHRIL_CHECK(!lib.by_name.contains(key), "two library models named " + def.name);
  const ModelDef& kept = lib.models.emplace_back(std::move(def));
  lib.by_name[key] = &kept;
  return kept;
}

const ModelDef* try_find_model(std::string_view name) {
  Library& lib = library();
  const std::lock_guard lock(lib.mutex);
  lib.fill();
  const auto at = lib.by_name.find(lower_case(name));
  return at == lib.by_name.end() ? nullptr : at->second;
}

std::vector<const ModelDef*> all_models() {
  Library& lib = library();
  const std::lock_guard lock(lib.mutex);
  lib.fill();
  std::vector<const ModelDef*> result;
  for (const ModelDef& def : lib.models) result.push_back(&def);
  return result;
}

Model make_model(std::string_view name, const Arguments& arguments) {
  const ModelDef* def = try_find_model(name);
  if (def && !def->alias_of.empty()) {
    const CheckedArguments checked(def->name, def->arguments, arguments);
    return make_model(def->alias_of, renamed(arguments, def->renamed));
  }
  if (def) {
    const Building closed(false);
    Model model = def->build(CheckedArguments(def->name, def->arguments, arguments));
    model.composite()->set_recipe(Note(def->name), arguments);
    return model;
  }
  if (const OpDef* op = try_find_op(name)) return Model::op(op->name, arguments);
  unknown_name(ErrorKind::name, "E0608", "model", name, "", model_names());
}

Model make_opened(std::string_view name, const Arguments& arguments) {
  const ModelDef* def = try_find_model(name);
  if (!def) return make_model(name, arguments);
  if (!def->alias_of.empty()) return make_opened(def->alias_of, renamed(arguments, def->renamed));
  const Building opened(true);
  return def->build(CheckedArguments(def->name, def->arguments, arguments));
}

PortType stated_type(const Datum& datum) {
  if (datum.kind() == kind::dtype) return datum.dtype();
  return static_cast<Kinds>(datum.integer());
}

Model made_of(const Datum& argument) {
  if (argument.kind() == kind::string) return make_model(argument.text());
  const Tuple& items = argument.tuple();
  Arguments arguments;
  for (const Datum& pair : items[1].tuple())
    arguments.emplace_back(pair.tuple()[0].text(), pair.tuple()[1]);
  Model model = make_model(items[0].text(), arguments);
  if (items.size() > 2 && !items[2].text().empty()) model.part()->give_name(items[2].text());
  if (items.size() < 4) return model;
  for (const Datum& pair : items[3].tuple()) {
    model.set_types({{pair.tuple()[0].text(), stated_type(pair.tuple()[1])}});
  }
  return model;
}

}  // namespace mithril
