// Characters of texts in UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mithril {

struct Character {
  char32_t code = 0;
  size_t bytes = 1;
};

// The number of bytes of a character of valid UTF-8 that begins with this byte.
size_t character_bytes(char first_byte);

// The character that begins a text of valid UTF-8.
Character first_character(std::string_view text);

// The bytes at the beginning of a text that are a character, the beginning of one that the end of
// the text cuts, or no part of any.
struct CharacterBytes {
  enum class State { whole, cut, invalid };

  size_t bytes = 1;
  State state = State::whole;
};

CharacterBytes first_character_bytes(std::string_view text);

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

// A replacement character takes the place of bytes that are not UTF-8, as with errors="replace" in
// Python.
std::string valid_utf8(std::string_view text);

std::string utf8_of(std::u32string_view text);

}  // namespace mithril
