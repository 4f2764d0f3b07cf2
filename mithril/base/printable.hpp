// Escapes text for display.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mithril {

// Escapes the text for display on one line: control characters, bidirectional formatting characters
// and bytes that are not UTF-8 ("\n", "\x1b", "\u202e").
std::string printable(std::string_view text);
// The number of bytes of the first character of a non-empty text; 0 if printable() escapes it.
std::size_t shown_bytes(std::string_view text);
// The number of bytes before the first one that is not UTF-8: text.size() for valid text.
std::size_t utf8_bytes(std::string_view text);

}  // namespace mithril
