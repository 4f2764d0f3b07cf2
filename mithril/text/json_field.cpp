#include "mithril/text/json_field.hpp"

#include "mithril/json/fields.hpp"

namespace mithril {

std::string JsonField::pointer() const { return pointer_.empty() ? "/" : pointer_; }

std::string JsonField::pointer_of(std::string name) const {
  const Place root;
  return pointer_ + root.at(std::move(name)).pointer();
}

void JsonField::refuse_form(std::string expected) const {
  wrong_form(*value_, pointer(), std::move(expected));
}

const Json* JsonField::find(const std::string& name) const {
  const auto* fields = value_->as<Json::Object>();
  if (!fields) return nullptr;
  for (const auto& [key, value] : *fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

JsonField JsonField::operator[](const std::string& name) const {
  static const Json absent{};
  if (!is_null() && !value_->as<Json::Object>()) refuse_form("an object");
  const Json* found = find(name);
  return {found ? *found : absent, pointer_of(name)};
}

JsonField JsonField::need(const std::string& name) const {
  if (!find(name)) missing_field(pointer(), name);
  return (*this)[name];
}

std::vector<JsonField> JsonField::items() const {
  const auto* values = value_->as<Json::Array>();
  if (!values) refuse_form("an array");
  std::vector<JsonField> fields;
  fields.reserve(values->size());
  for (const Json& value : *values)
    fields.push_back({value, pointer_of(std::to_string(fields.size()))});
  return fields;
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  const auto* values = value_->as<Json::Object>();
  if (!values) refuse_form("an object");
  std::vector<std::pair<std::string, JsonField>> fields;
  fields.reserve(values->size());
  for (const auto& [name, value] : *values)
    fields.emplace_back(name, JsonField(value, pointer_of(name)));
  return fields;
}

const std::string& JsonField::text() const {
  const auto* text = value_->as<std::string>();
  if (!text) refuse_form("a string");
  return *text;
}

bool JsonField::flag_or(bool otherwise) const {
  if (is_null()) return otherwise;
  const auto* flag = value_->as<bool>();
  if (!flag) refuse_form("true or false");
  return *flag;
}

double JsonField::number() const {
  if (const auto* whole = value_->as<int64_t>()) return static_cast<double>(*whole);
  const auto* number = value_->as<double>();
  if (!number) refuse_form("a number");
  return *number;
}

int64_t JsonField::integer() const {
  const auto* number = value_->as<int64_t>();
  if (!number) refuse_form("an integer");
  return *number;
}

int64_t JsonField::integer(int64_t least, int64_t most) const {
  const auto* number = value_->as<int64_t>();
  if (!number || *number < least || *number > most)
    refuse_form("an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return *number;
}

}  // namespace mithril
