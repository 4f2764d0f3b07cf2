#include "mithril/viewer/json_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mithril/base/printable.hpp"

namespace mithril {

void JsonText::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void JsonText::quote(std::string_view value) {
  text_ += '"';
  for (const char c : printable(value)) {
    if (c == '"' || c == '\\') text_ += '\\';
    if (c == '<' || c == '>' || c == '&') {
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

JsonText& JsonText::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  separate();
  quote(value);
  return *this;
}

JsonText& JsonText::number(std::int64_t value) {
  separate();
  text_ += fmt::format("{}", value);
  return *this;
}

JsonText& JsonText::real(double value) {
  separate();
  text_ += std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
  return *this;
}

JsonText& JsonText::flag(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

}  // namespace mithril
