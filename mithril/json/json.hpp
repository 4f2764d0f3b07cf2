// JSON as a tree, for parsing and writing.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mithril {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text
  using Held = std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Object>;

  Json() = default;
  Json(const Json& other);
  Json(Json&&) noexcept = default;
  Json& operator=(const Json&) = default;
  Json& operator=(Json&&) noexcept = default;
  ~Json() = default;
  Json(std::nullptr_t) {}
  Json(bool flag) : held_(flag) {}
  Json(int number) : held_(int64_t{number}) {}
  Json(int64_t number) : held_(number) {}
  Json(double number) : held_(number) {}
  Json(const char* text) : held_(std::string(text)) {}
  Json(std::string text) : held_(std::move(text)) {}
  Json(Array items) : held_(std::move(items)) {}
  Json(Object fields) : held_(std::move(fields)) {}

  template <typename T>
  const T* as() const {  // null if it has another type
    return std::get_if<T>(&held_);
  }
  template <typename T>
  T* as() {
    return std::get_if<T>(&held_);
  }
  friend bool operator==(const Json& a, const Json& b) { return a.held_ == b.held_; }

 private:
  Held held_;
};

// Indented by two spaces; values that fit on a line are written on one. ValueError E0420 if a
// string is not UTF-8 or a number is not finite.
std::string to_text(const Json& json);

// A position in a JSON file.
struct Place {
  const Place* parent = nullptr;
  std::string name = {};  // of a field, or the number of an item

  Place at(std::string field) const { return {this, std::move(field)}; }
  Place at(size_t item) const { return {this, std::to_string(item)}; }
  std::string pointer() const;  // "/submodels/m1/args/axis" (RFC 6901); "/" for the whole
};

}  // namespace mithril
