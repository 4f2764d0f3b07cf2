#include "mithril/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mithril {
namespace {

struct CodePoint {
  char32_t value = 0xFFFD;
  size_t bytes = 0;  // 0: not UTF-8
};

CodePoint code_point_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF8   ? 0
                       : lead >= 0xF0 ? 4
                       : lead >= 0xE0 ? 3
                       : lead >= 0xC0 ? 2
                                      : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t value = lead & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = value << 6 | (next & 0x3F);
  }
  static constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

// Controls (C0, DEL, C1), line separators and bidirectional formatting characters.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string escape(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  const auto number = static_cast<uint32_t>(c);
  return c < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

}  // namespace

std::size_t shown_bytes(std::string_view text) {
  const CodePoint first = code_point_at(text);
  return is_hidden(first.value) ? 0 : first.bytes;
}

std::size_t utf8_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = code_point_at(text.substr(at)).bytes;
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint at = code_point_at(text);
    const size_t bytes = std::max<size_t>(at.bytes, 1);
    if (at.bytes == 0) {
      result += escape(static_cast<unsigned char>(text[0]));
    } else if (is_hidden(at.value)) {
      result += escape(at.value);
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace mithril
