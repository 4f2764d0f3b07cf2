#include "mithril/text/pattern_parts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mithril/text/unicode.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

constexpr size_t no_limit = std::numeric_limits<size_t>::max();

// The matcher takes a depth of calls that grows with the items.
constexpr size_t most_items = 1000;

struct UnknownPattern {};

class PatternReader {
 public:
  explicit PatternReader(std::string_view rest) : rest_(rest) {}

  PatternGroup whole() {
    PatternGroup group = alternatives(false);
    if (!rest_.empty()) throw UnknownPattern();
    return group;
  }

 private:
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  char32_t take() {
    if (rest_.empty()) throw UnknownPattern();
    const Character next = first_character(rest_);
    rest_.remove_prefix(next.bytes);
    return next.code;
  }

  PatternGroup alternatives(bool any_case) {
    constexpr int most_depth = 20;
    if (++depth_ > most_depth) throw UnknownPattern();
    PatternGroup group;
    if (skip("(?i)")) any_case = true;
    do {
      std::vector<PatternItem> items;
      while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
        // (?i) elsewhere opens a group up to the next ')': a(?i)b|c is a(?i:b|c).
        if (rest_.starts_with("(?i)") || ++items_ > most_items) throw UnknownPattern();
        items.push_back(item(any_case));
      }
      group.alternatives.push_back(std::move(items));
    } while (skip("|"));
    --depth_;
    return group;
  }

  PatternItem item(bool any_case) {
    PatternItem made;
    if (skip("(")) {
      group(any_case, made);
    } else if (skip("^")) {
      made.kind = PatternItem::Kind::line_begin;
    } else if (skip("$")) {
      made.kind = PatternItem::Kind::line_end;
    } else {
      made.set.any_case = any_case;
      set_item(made.set);
      made.set.finish();
    }
    repetition(made);
    return made;
  }

  void group(bool any_case, PatternItem& made) {
    made.kind = PatternItem::Kind::group;
    if (skip("?i:")) {
      any_case = true;
    } else if (skip("?=") || skip("?!")) {
      made.kind = PatternItem::Kind::lookahead;
      made.is_negated = rest_.data()[-1] == '!';
    } else if (!skip("?:") && rest_.starts_with('?')) {
      throw UnknownPattern();
    }
    made.group = std::make_shared<const PatternGroup>(alternatives(any_case));
    if (!skip(")")) throw UnknownPattern();
  }

  void set_item(CharacterSet& set) {
    if (skip("[")) return bracket(set);
    if (skip(".")) {
      set.is_negated = true;
      return set.add('\n', '\n');
    }
    if (skip("\\")) return escape(set);
    const char32_t code = take();
    if (std::u32string_view(U"*+?{}]").find(code) != std::u32string_view::npos)
      throw UnknownPattern();
    set.add(code, code);
  }

  void bracket(CharacterSet& set) {
    set.is_negated = skip("^");
    if (skip("]")) throw UnknownPattern();
    while (!skip("]")) {
      if (rest_.starts_with('[') || rest_.starts_with("&&")) throw UnknownPattern();
      if (rest_.starts_with('\\') && !is_plain_escape()) {
        take();
        escape(set);
        continue;
      }
      const char32_t first = bracket_character();
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        take();
        const char32_t last = bracket_character();
        if (last < first) throw UnknownPattern();
        set.add(first, last);
      } else {
        set.add(first, first);
      }
    }
  }

  bool is_plain_escape() const {
    return rest_.size() > 1 &&
           std::string_view("sSdDwWpP").find(rest_[1]) == std::string_view::npos;
  }

  char32_t bracket_character() {
    const char32_t code = take();
    if (code == '[') throw UnknownPattern();
    return code == '\\' ? escaped() : code;
  }

  // After a backslash.
  char32_t escaped() {
    if (skip("x{") || skip("u{")) return number(16, "}");
    if (skip("x")) {
      const char32_t byte = digits(2);
      if (byte >= 0x80) throw UnknownPattern();  // a part of a character
      return byte;
    }
    if (skip("u")) return digits(4);
    const char32_t code = take();
    switch (code) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      default:
        break;
    }
    const bool is_name = code < 0x80 && !is_ascii_punctuation(code) && code != ' ';
    if (is_name) throw UnknownPattern();
    return code;
  }

  char32_t digit(char32_t base) {
    const char32_t code = take();
    const char32_t value = code >= '0' && code <= '9'   ? code - '0'
                           : code >= 'a' && code <= 'f' ? code - 'a' + 10
                           : code >= 'A' && code <= 'F' ? code - 'A' + 10
                                                        : base;
    if (value >= base) throw UnknownPattern();
    return value;
  }

  char32_t digits(size_t count) {
    char32_t code = 0;
    for (size_t i = 0; i < count; ++i) code = code * 16 + digit(16);
    return code;
  }

  char32_t number(char32_t base, std::string_view end) {
    char32_t value = digit(base);
    while (!skip(end)) {
      value = value * base + digit(base);
      if (value > 0x10ffff) throw UnknownPattern();
    }
    return value;
  }

  void escape(CharacterSet& set) {
    using Kind = CharacterClass::Kind;
    if (skip("s")) return set.add({.kind = Kind::space});
    if (skip("S")) return set.add({.kind = Kind::space, .is_negated = true});
    if (skip("d")) return set.add({.kind = Kind::digit});
    if (skip("D")) return set.add({.kind = Kind::digit, .is_negated = true});
    if (skip("w")) return set.add({.kind = Kind::word});
    if (skip("W")) return set.add({.kind = Kind::word, .is_negated = true});
    if (rest_.starts_with('p') || rest_.starts_with('P')) return property(set);
    const char32_t code = escaped();
    set.add(code, code);
  }

  // \p{L}, \P{L}, \p{^L}
  void property(CharacterSet& set) {
    CharacterClass made{.is_negated = take() == 'P'};
    if (!skip("{")) throw UnknownPattern();
    if (skip("^")) made.is_negated = !made.is_negated;
    const size_t end = rest_.find('}');
    if (end == std::string_view::npos) throw UnknownPattern();
    made.category = std::string(rest_.substr(0, end));
    if (!is_category(made.category)) throw UnknownPattern();
    rest_.remove_prefix(end + 1);
    set.add(std::move(made));
  }

  void repetition(PatternItem& made) {
    if (!repeats(made)) return;
    if (made.kind == PatternItem::Kind::group) {
      // Nested repetition could take a time that grows exponentially with the text.
      const bool is_optional = made.most == 1 && made.repeat == PatternItem::Repeat::greedy;
      if (!is_optional) throw UnknownPattern();
    } else if (made.kind != PatternItem::Kind::set) {
      throw UnknownPattern();
    }
    if (!rest_.empty() && std::string_view("*+?{").find(rest_[0]) != std::string_view::npos)
      throw UnknownPattern();
  }

  bool repeats(PatternItem& made) {
    if (skip("{")) {
      const bool is_exact = counts(made);
      if (skip("?")) {
        if (is_exact) throw UnknownPattern();  // in Oniguruma, a{2}? is (?:a{2})?
        made.repeat = PatternItem::Repeat::lazy;
      }
      return true;
    }
    if (skip("?")) {
      made.least = 0;
    } else if (skip("*")) {
      made.least = 0;
      made.most = no_limit;
    } else if (skip("+")) {
      made.most = no_limit;
    } else {
      return false;
    }
    if (skip("?")) {
      made.repeat = PatternItem::Repeat::lazy;
    } else if (skip("+")) {
      made.repeat = PatternItem::Repeat::possessive;
    }
    return true;
  }

  // {2}, {2,}, {,3} or {1,3}. Whether it is the first.
  bool counts(PatternItem& made) {
    made.least = 0;
    made.most = no_limit;
    if (!rest_.starts_with(',')) {
      const size_t end = rest_.find_first_of(",}");
      if (end == std::string_view::npos) throw UnknownPattern();
      made.least = number(10, rest_.substr(end, 1));
      if (rest_.data()[-1] == '}') {
        made.most = made.least;
        return true;
      }
    } else {
      take();
    }
    if (!skip("}")) made.most = number(10, "}");
    if (made.most < made.least) throw UnknownPattern();
    return false;
  }

  std::string_view rest_;
  int depth_ = 0;
  size_t items_ = 0;
};

}  // namespace

bool CharacterClass::has(char32_t code) const {
  const bool is_in = kind == Kind::space   ? is_white_space(code)
                     : kind == Kind::digit ? has_category(code, "Nd")
                     : kind == Kind::word  ? is_word_character(code)
                                           : has_category(code, category);
  return is_in != is_negated;
}

bool CharacterSet::finds(char32_t code) const {
  const bool is_in =
      std::any_of(classes_.begin(), classes_.end(),
                  [&](const CharacterClass& each) { return each.has(code); }) ||
      std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& each) {
        if (code >= each.first && code <= each.last) return true;
        if (!any_case) return false;
        const auto has = [&](char32_t other) { return other >= each.first && other <= each.last; };
        return has(folded(code)) || has(capital_letter(code)) ||
               (each.first == each.last && folded(code) == folded(each.first));
      });
  return is_in != is_negated;
}

void CharacterSet::finish() {
  for (char32_t code = 0; code < ascii_.size(); ++code) ascii_[code] = finds(code);
}

std::optional<PatternGroup> read_pattern(std::string_view expression) {
  try {
    return PatternReader(expression).whole();
  } catch (const UnknownPattern&) {
    return std::nullopt;
  }
}

}  // namespace mithril
