// Names and texts of users, as they may be and as they are shown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mithril {

// NameError E0622 where the name holds a NUL, which ends a text in C.
void check_name(std::string_view name);

// The text as it may stand in a line for people: control characters, those that change the
// direction of writing and bytes that are not UTF-8 are escaped ("\n", "\x1b", "\u202e").
std::string printable(std::string_view text);
// Bytes of the first character of a text that is not empty; 0 where printable() escapes it.
std::size_t shown_bytes(std::string_view text);

}  // namespace mithril
