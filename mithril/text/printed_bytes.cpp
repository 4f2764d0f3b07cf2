#include "mithril/text/printed_bytes.hpp"

#include <array>
#include <map>

#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

// The characters of the bytes 0 to 255, all of them below U+0800.
std::array<char32_t, 256> printed_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
    characters[byte] = is_printable ? byte : next++;
  }
  return characters;
}

}  // namespace

std::string to_printed_bytes(std::string_view bytes) {
  static const std::array<std::string, 256> texts = [] {
    std::array<std::string, 256> result;
    const auto characters = printed_characters();
    for (size_t byte = 0; byte < 256; ++byte) result[byte] = utf8_of({&characters[byte], 1});
    return result;
  }();
  std::string text;
  for (const char byte : bytes) text += texts[static_cast<unsigned char>(byte)];
  return text;
}

std::string from_printed_bytes(std::string_view text) {
  static const std::map<char32_t, char> bytes = [] {
    std::map<char32_t, char> result;
    const auto characters = printed_characters();
    for (size_t byte = 0; byte < 256; ++byte) result[characters[byte]] = static_cast<char>(byte);
    return result;
  }();
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = first_character(rest);
    const auto byte = bytes.find(next.code);
    if (byte == bytes.end()) return std::string(text);
    result += byte->second;
    rest.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace mithril
