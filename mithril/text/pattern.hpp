// Regular expressions of tokenizers.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril {

struct TextRange {
  size_t begin = 0, end = 0;  // in bytes
};

struct PatternGroup;

// The regular expressions by which tokenizers split texts, as Oniguruma reads them: characters,
// sets, classes (\s \d \w \p{L}), alternatives, (?i:...), lookaheads, and repetition of characters.
// Immutable.
class Pattern {
 public:
  // None for an expression that is damaged or has another part, such as a lookbehind or the
  // repetition of a group. The depth of groups and the number of characters, sets and groups are
  // limited.
  static std::optional<Pattern> read(std::string_view expression);
  static Pattern of_text(std::string text);  // that is not empty, as it is

  // The matches in valid UTF-8, from left to right, that are not empty.
  std::vector<TextRange> find_all(std::string_view text) const;

 private:
  Pattern() = default;

  std::shared_ptr<const PatternGroup> group_;  // immutable, so copies share it
  std::string text_;                           // if the pattern is a plain text
};

}  // namespace mithril
