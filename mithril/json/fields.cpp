#include "mithril/json/fields.hpp"

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

std::string cut_text(const Json& json) {
  constexpr size_t most = 60;
  std::string text;
  for (const char c : to_text(json)) {
    if (c != '\n' && !(c == ' ' && text.ends_with(' '))) text += c;
  }
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

void wrong_form(const Json& json, const std::string& pointer, std::string expected) {
  raise({.kind = ErrorKind::parse,
         .code = "E0726",
         .path = pointer,
         .message = "this does not fit here",
         .facts = {{"expected", std::move(expected), ""}, {"got", cut_text(json), ""}}});
}

void missing_field(const std::string& pointer, std::string_view name) {
  raise({.kind = ErrorKind::parse,
         .code = "E0727",
         .path = pointer,
         .message = "the field " + in_quotes(name) + " is missing"});
}

bool flag_of(const Json& json, const Place& place) {
  if (const auto* flag = json.as<bool>()) return *flag;
  wrong_form(json, place, "true or false");
}

int64_t integer_of(const Json& json, const Place& place) {
  if (const auto* number = json.as<int64_t>()) return *number;
  wrong_form(json, place, "an integer");
}

double real_of(const Json& json, const Place& place) {
  if (const auto* number = json.as<double>()) return *number;
  if (const auto* number = json.as<int64_t>()) return static_cast<double>(*number);
  wrong_form(json, place, "a number");
}

const std::string& text_of(const Json& json, const Place& place) {
  if (const auto* text = json.as<std::string>()) return *text;
  wrong_form(json, place, "a string");
}

const Json::Array& array_of(const Json& json, const Place& place) {
  if (const auto* items = json.as<Json::Array>()) return *items;
  wrong_form(json, place, "an array");
}

const Json::Object& object_of(const Json& json, const Place& place) {
  if (const auto* fields = json.as<Json::Object>()) return *fields;
  wrong_form(json, place, "an object");
}

const Json::Array& items_of(const Json& json, const Place& place, size_t count,
                            const std::string& expected) {
  const auto* items = json.as<Json::Array>();
  if (!items || items->size() != count) wrong_form(json, place, expected);
  return *items;
}

std::vector<std::string> names_of(const Json& json, const Place& place) {
  std::vector<std::string> names;
  const Json::Array& items = array_of(json, place);
  for (size_t i = 0; i < items.size(); ++i) names.push_back(text_of(items[i], place.at(i)));
  return names;
}

Fields::Fields(const Json& json, const Place& place, std::initializer_list<const char*> known)
    : fields_(object_of(json, place)), place_(place) {
  for (const auto& [name, value] : fields_) {
    bool found = false;
    for (const char* candidate : known) found = found || name == candidate;
    if (!found) {
      unknown_name(ErrorKind::name, "E0640", "field", name, place.pointer(),
                   std::vector<std::string>(known.begin(), known.end()));
    }
  }
}

Fields::Fields(const Json& json, const Place& place)
    : fields_(object_of(json, place)), place_(place) {}

const Json* Fields::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Json& Fields::need(std::string_view name) const {
  if (const Json* value = find(name)) return *value;
  missing_field(place_.pointer(), name);
}

void raise_at(const std::string& pointer, ErrorDetails details) {
  if (details.path.empty()) {
    details.path = pointer;
  } else {
    details.facts.insert(details.facts.begin(), {"at", pointer, ""});
  }
  raise(std::move(details));
}

}  // namespace mithril
