#include "mithril/base/key_patterns.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

bool fits(char pattern, char letter) { return pattern == '?' || pattern == letter; }

// The number of letters to insert, drop or replace in `key` so that the pattern matches it.
std::size_t pattern_distance(std::string_view pattern, std::string_view key) {
  // Row by row: distances of the pattern so far to each beginning of the key.
  std::vector<std::size_t> before(key.size() + 1), row(key.size() + 1);
  for (std::size_t i = 0; i <= key.size(); ++i) before[i] = i;
  for (const char character : pattern) {
    const bool any = character == '*';
    row[0] = before[0] + (any ? 0 : 1);
    for (std::size_t i = 1; i <= key.size(); ++i) {
      if (any) {
        row[i] = std::min(before[i], row[i - 1]);
      } else {
        row[i] = std::min(
            {before[i] + 1, row[i - 1] + 1, before[i - 1] + (fits(character, key[i - 1]) ? 0 : 1)});
      }
    }
    std::swap(before, row);
  }
  return before[key.size()];
}

}  // namespace

bool matches(std::string_view pattern, std::string_view key) {
  return pattern_distance(pattern, key) == 0;
}

void check_pattern(std::string_view pattern, const std::vector<std::string>& keys,
                   std::string_view what) {
  if (std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return matches(pattern, key); }))
    return;
  // A key that is the pattern below a path is nearer than a short key: "fc1.weight" than "x".
  const auto distance = [&](const std::string& key) {
    const std::size_t below = pattern_distance("*." + std::string(pattern), key);
    return std::pair(below != 0, pattern_distance(pattern, key));
  };
  const auto nearest =
      std::min_element(keys.begin(), keys.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  raise({.kind = ErrorKind::name,
         .code = "E0623",
         .message = "no " + std::string(what) + " matches the pattern " + in_quotes(pattern),
         .help = nearest == keys.end() ? "" : "the nearest key is " + in_quotes(*nearest)});
}

}  // namespace mithril
