// Reading JSON of a known form: each mistake is an error that names the place.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/json/json.hpp"

namespace mithril {

// ParseError E0726 with the expected and the actual form.
[[noreturn]] void wrong_form(const Json& json, const std::string& pointer, std::string expected);
[[noreturn]] inline void wrong_form(const Json& json, const Place& place, std::string expected) {
  wrong_form(json, place.pointer(), std::move(expected));
}

// ParseError E0727 for an object that lacks the field.
[[noreturn]] void missing_field(const std::string& pointer, std::string_view name);

bool flag_of(const Json& json, const Place& place);
int64_t integer_of(const Json& json, const Place& place);
double real_of(const Json& json, const Place& place);  // an integer serves, too
const std::string& text_of(const Json& json, const Place& place);
const Json::Array& array_of(const Json& json, const Place& place);
// An array of that many items; `expected` describes them.
const Json::Array& items_of(const Json& json, const Place& place, size_t count,
                            const std::string& expected);
std::vector<std::string> names_of(const Json& json, const Place& place);  // an array of strings

// The fields of an object. NameError E0640 for one that is not known, with the nearest.
class Fields {
 public:
  Fields(const Json& json, const Place& place, std::initializer_list<const char*> known);
  Fields(const Json& json, const Place& place);   // with any names
  const Json* find(std::string_view name) const;  // null: it is not there
  const Json& need(std::string_view name) const;  // ParseError E0727 if it is missing

 private:
  const Json::Object& fields_;
  const Place& place_;
};
const Json::Object& object_of(const Json& json, const Place& place);

// The error, with the place in front of its path or facts.
[[noreturn]] void raise_at(const std::string& pointer, ErrorDetails details);
[[noreturn]] inline void raise_at(const Place& place, ErrorDetails details) {
  raise_at(place.pointer(), std::move(details));
}

// Runs an action; its errors name the place.
template <typename Where, typename Action>
auto reading(const Where& place, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    raise_at(place, error.details());
  }
}

}  // namespace mithril
