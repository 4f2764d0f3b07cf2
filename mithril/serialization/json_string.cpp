#include "mithril/serialization/json_string.hpp"

#include <fmt/format.h>

namespace mithril {

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  text += '"';
}

}  // namespace mithril
