// A value of a JSON file that knows where it is, so that each error names it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/json/json.hpp"

namespace mithril {

// ParseError E0726 with the place if the value has another form than the one asked for. The JSON
// outlives its fields.
class JsonField {
 public:
  explicit JsonField(const Json& value) : value_(&value) {}

  const Json& value() const { return *value_; }
  std::string pointer() const;                                // "/model/vocab"; "/" for the whole
  [[noreturn]] void refuse_form(std::string expected) const;  // E0726

  bool is_null() const { return value_->as<std::nullptr_t>() != nullptr; }
  bool has(const std::string& name) const { return find(name) != nullptr; }
  // Null if the object lacks it, or if this is null.
  JsonField operator[](const std::string& name) const;
  JsonField need(const std::string& name) const;  // E0727 if the object lacks it
  std::vector<JsonField> items() const;
  std::vector<std::pair<std::string, JsonField>> members() const;

  bool is_text() const { return value_->as<std::string>() != nullptr; }
  const std::string& text() const;
  std::string text_or(const std::string& otherwise) const { return is_null() ? otherwise : text(); }
  bool flag_or(bool otherwise) const;
  double number() const;  // an integer serves, too
  int64_t integer() const;
  int64_t integer(int64_t least, int64_t most) const;
  // The field `type` of an object, by which tokenizers tell parts of one kind apart.
  const std::string& type() const { return (*this)["type"].text(); }

 private:
  JsonField(const Json& value, std::string pointer)
      : value_(&value), pointer_(std::move(pointer)) {}
  const Json* find(const std::string& name) const;
  std::string pointer_of(std::string name) const;

  const Json* value_;
  std::string pointer_;  // empty for the whole
};

}  // namespace mithril
