#include "mithril/json/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

constexpr size_t line_width = 100;

class Writer {
 public:
  std::string run(const Json& json) {
    write(json, 0);
    return std::move(text_);
  }

 private:
  void write(const Json& json, size_t indent) {
    const auto* fields = json.as<Json::Object>();
    const auto* items = json.as<Json::Array>();
    const size_t start = text_.size();
    const size_t room = line_width > column() ? line_width - column() : 0;
    if (write_in_line(json, start + room) || (!fields && !items)) return;
    text_.resize(start);
    text_ += fields ? '{' : '[';
    const size_t count = fields ? fields->size() : items->size();
    for (size_t i = 0; i < count; ++i) {
      text_ += i > 0 ? ",\n" : "\n";
      text_.append(indent + 2, ' ');
      if (fields) write_name((*fields)[i].first);
      write(fields ? (*fields)[i].second : (*items)[i], indent + 2);
    }
    text_ += '\n';
    text_.append(indent, ' ');
    text_ += fields ? '}' : ']';
  }

  // False: it reached beyond the end, and is not finished.
  bool write_in_line(const Json& json, size_t end) {
    if (const auto* fields = json.as<Json::Object>()) {
      text_ += '{';
      for (size_t i = 0; i < fields->size(); ++i) {
        if (i > 0) text_ += ", ";
        write_name((*fields)[i].first);
        if (!write_in_line((*fields)[i].second, end)) return false;
      }
      text_ += '}';
    } else if (const auto* items = json.as<Json::Array>()) {
      text_ += '[';
      for (size_t i = 0; i < items->size(); ++i) {
        if (i > 0) text_ += ", ";
        if (!write_in_line((*items)[i], end)) return false;
      }
      text_ += ']';
    } else {
      text_ += scalar_text(json);
    }
    return text_.size() <= end;
  }

  void write_name(const std::string& name) {
    text_ += scalar_text(Json(name));
    text_ += ": ";
  }

  static std::string scalar_text(const Json& json) {
    if (const auto* flag = json.as<bool>()) return *flag ? "true" : "false";
    if (const auto* number = json.as<int64_t>()) return std::to_string(*number);
    if (const auto* number = json.as<double>()) {
      if (!std::isfinite(*number)) refuse("a number that is not finite has no JSON form");
      return nlohmann::json(*number).dump();
    }
    const auto* text = json.as<std::string>();
    if (!text) return "null";
    try {
      return nlohmann::json(*text).dump();
    } catch (const nlohmann::json::exception&) {
      refuse("a text that is not UTF-8 has no JSON form");
    }
  }

  [[noreturn]] static void refuse(std::string message) {
    raise({.kind = ErrorKind::value, .code = "E0420", .message = std::move(message)});
  }

  size_t column() const {
    const size_t line = text_.rfind('\n');
    return line == std::string::npos ? text_.size() : text_.size() - line - 1;
  }

  std::string text_;
};

}  // namespace

// libstdc++ 12 crashes if a variant of strings and vectors is initialized by a copy that fails.
Json::Json(const Json& other) { held_ = other.held_; }

std::string to_text(const Json& json) { return Writer().run(json); }

std::string Place::pointer() const {
  std::string text;
  for (const Place* at = this; at->parent; at = at->parent) {
    std::string escaped = "/";
    for (const char c : at->name) {
      if (c == '~' || c == '/') {
        escaped += c == '~' ? "~0" : "~1";
      } else {
        escaped += c;
      }
    }
    text.insert(0, escaped);
  }
  return text.empty() ? "/" : text;
}

}  // namespace mithril
