// The parts of a regular expression.
#pragma once
#include <bitset>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril {

struct PatternGroup;

// \s, \d, \w, or a general category of Unicode.
struct CharacterClass {
  enum class Kind { space, digit, word, category };

  Kind kind = Kind::category;
  bool is_negated = false;
  std::string category = {};

  bool has(char32_t code) const;
};

class CharacterSet {
 public:
  bool is_negated = false;
  bool any_case = false;

  void add(char32_t first, char32_t last) { ranges_.push_back({first, last}); }
  void add(CharacterClass each) { classes_.push_back(std::move(each)); }
  void finish();  // after the last addition
  bool has(char32_t code) const { return code < ascii_.size() ? ascii_[code] : finds(code); }

 private:
  struct Range {
    char32_t first, last;
  };
  bool finds(char32_t code) const;

  std::vector<Range> ranges_;
  std::vector<CharacterClass> classes_;
  std::bitset<128> ascii_;
};

struct PatternItem {
  enum class Kind { set, group, lookahead, line_begin, line_end };
  enum class Repeat { greedy, lazy, possessive };

  Kind kind = Kind::set;
  CharacterSet set;
  std::shared_ptr<const PatternGroup> group;  // immutable: copies of the item share it
  bool is_negated = false;                    // of a lookahead
  size_t least = 1, most = 1;
  Repeat repeat = Repeat::greedy;
};

struct PatternGroup {
  std::vector<std::vector<PatternItem>> alternatives;
};

// None as Pattern::read.
std::optional<PatternGroup> read_pattern(std::string_view expression);

}  // namespace mithril
