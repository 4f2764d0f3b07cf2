// Strings as JSON.
#pragma once

#include <string>
#include <string_view>

namespace mithril {

// Appends the value, which is UTF-8, with its quotes.
void append_json_string(std::string& text, std::string_view value);

}  // namespace mithril
