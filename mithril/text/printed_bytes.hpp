// Vocabularies of bytes write each byte as a character that can be printed.
#pragma once
#include <string>
#include <string_view>

namespace mithril {

std::string to_printed_bytes(std::string_view bytes);
// Inverts to_printed_bytes. A text with a character that represents no byte is returned unchanged.
std::string from_printed_bytes(std::string_view text);

}  // namespace mithril
