// Writes JSON that a page may contain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mithril {

// Writes the commas itself. In texts it escapes `<`, `>` and `&`, so that no text ends the element
// that contains the JSON, and, as printable() does, what cannot be displayed.
class JsonText {
 public:
  JsonText& open(char bracket);  // '{' or '['
  JsonText& close(char bracket);
  JsonText& key(std::string_view name);
  JsonText& text(std::string_view value);
  JsonText& number(std::int64_t value);
  JsonText& real(double value);  // null unless it is finite
  JsonText& flag(bool value);
  std::string take() { return std::move(text_); }

 private:
  void separate();
  void quote(std::string_view value);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace mithril
