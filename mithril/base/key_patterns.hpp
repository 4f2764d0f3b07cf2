// Patterns of keys: `*` is any text, dots included, and `?` one character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mithril {

bool matches(std::string_view pattern, std::string_view key);

// NameError E0623 for a pattern that matches none of the keys, with the nearest key. `what` they
// are the keys of.
void check_pattern(std::string_view pattern, const std::vector<std::string>& keys,
                   std::string_view what = "parameter");

}  // namespace mithril
