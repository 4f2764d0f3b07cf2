#include "mithril/text/utf8.hpp"

namespace mithril {

size_t character_bytes(char first_byte) {
  const auto lead = static_cast<unsigned char>(first_byte);
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = character_bytes(text[0]);
  if (bytes == 1) return {lead, 1};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return {code, bytes};
}

// Table 3-7 of the Unicode Standard: after some first bytes, fewer second bytes are valid.
CharacterBytes first_character_bytes(std::string_view text) {
  using State = CharacterBytes::State;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, State::whole};
  if (lead < 0xc2 || lead > 0xf4) return {1, State::invalid};
  const size_t bytes = character_bytes(text[0]);
  unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < bytes; ++i) {
    if (i == text.size()) return {i, State::cut};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < least || byte > most) return {i, State::invalid};
    least = 0x80;
    most = 0xbf;
  }
  return {bytes, State::whole};
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const CharacterBytes first = first_character_bytes(text);
    valid += first.state == CharacterBytes::State::whole ? text.substr(0, first.bytes)
                                                         : replacement_character;
    text.remove_prefix(first.bytes);
  }
  return valid;
}

std::string utf8_of(std::u32string_view text) {
  std::string utf8;
  for (const char32_t c : text) {
    const auto add = [&](char32_t byte) { utf8 += static_cast<char>(byte); };
    if (c < 0x80) {
      add(c);
      continue;
    }
    if (c < 0x800) {
      add(0xC0 | c >> 6);
    } else if (c < 0x10000) {
      add(0xE0 | c >> 12);
      add(0x80 | (c >> 6 & 0x3F));
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
      add(0x80 | (c >> 6 & 0x3F));
    }
    add(0x80 | (c & 0x3F));
  }
  return utf8;
}

}  // namespace mithril
