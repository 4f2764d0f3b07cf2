// A value of a JSON file that knows where it is, so that each error names it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Values of another type than the one asked for are a std::runtime_error with the path of the
// field. The JSON outlives its fields.
class JsonField {
 public:
  explicit JsonField(const nlohmann::json& value, std::string path = {})
      : value_(&value), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& expected) const {
    throw std::runtime_error((path_.empty() ? "the file" : path_) + " is " + shown() +
                             ", expected " + expected);
  }

  bool is_null() const { return value_->is_null(); }
  bool has(const std::string& name) const { return value_->is_object() && value_->contains(name); }

  // Null if the object lacks it.
  JsonField operator[](const std::string& name) const {
    static const nlohmann::json absent;
    if (!value_->is_object()) refuse("an object");
    const auto found = value_->find(name);
    const std::string path = path_.empty() ? name : path_ + "." + name;
    return JsonField(found == value_->end() ? absent : *found, path);
  }

  std::vector<JsonField> items() const {
    if (!value_->is_array()) refuse("an array");
    std::vector<JsonField> fields;
    for (size_t i = 0; i < value_->size(); ++i)
      fields.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]");
    return fields;
  }

  std::vector<std::pair<std::string, JsonField>> members() const {
    if (!value_->is_object()) refuse("an object");
    std::vector<std::pair<std::string, JsonField>> fields;
    for (const auto& [name, value] : value_->items())
      fields.emplace_back(name, JsonField(value, path_.empty() ? name : path_ + "." + name));
    return fields;
  }

  bool is_text() const { return value_->is_string(); }
  std::string text() const {
    if (!is_text()) refuse("a string");
    return value_->get<std::string>();
  }
  std::string text_or(const std::string& otherwise) const { return is_null() ? otherwise : text(); }

  bool flag_or(bool otherwise) const {
    if (is_null()) return otherwise;
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
  }

  int64_t integer(int64_t least, int64_t most) const {
    const std::string expected =
        "an integer from " + std::to_string(least) + " to " + std::to_string(most);
    const bool is_above =
        value_->is_number_unsigned() && value_->get<uint64_t>() > static_cast<uint64_t>(most);
    if (!value_->is_number_integer() || is_above) refuse(expected);
    const auto number = value_->get<int64_t>();
    if (number < least || number > most) refuse(expected);
    return number;
  }

  // The field `type` of an object, by which tokenizers tell parts of one kind apart.
  std::string type() const { return (*this)["type"].text(); }

  // Null is as good as what is expected.
  void require(const nlohmann::json& expected) const {
    if (!is_null() && *value_ != expected) refuse(expected.dump());
  }

 private:
  // Long and nested values are not for messages.
  std::string shown() const {
    if (value_->is_object()) {
      const auto type = value_->find("type");
      return type != value_->end() && type->is_string() ? JsonField(*type).shown() : "an object";
    }
    if (value_->is_array()) return "an array";
    const std::string text = value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= 80 ? text : text.substr(0, 80) + "...";
  }

  const nlohmann::json* value_;
  std::string path_;
};
