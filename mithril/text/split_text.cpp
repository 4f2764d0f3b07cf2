#include "mithril/text/split_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

struct SplitPart {
  TextRange range;
  bool is_match;
};

std::vector<SplitPart> parts_of(std::string_view text, const std::vector<TextRange>& matches,
                                bool is_inverted) {
  std::vector<SplitPart> parts;
  size_t begin = 0;
  for (const TextRange& match : matches) {
    if (begin < match.begin) parts.push_back({{begin, match.begin}, is_inverted});
    parts.push_back({match, !is_inverted});
    begin = match.end;
  }
  if (begin < text.size()) parts.push_back({{begin, text.size()}, is_inverted});
  return parts;
}

// A match is joined to the text before it, unless that is a match.
std::vector<TextRange> merged_to_the_left(const std::vector<SplitPart>& parts) {
  std::vector<TextRange> merged;
  bool after_match = false;
  for (const SplitPart& part : parts) {
    if (part.is_match && !after_match && !merged.empty()) {
      merged.back().end = part.range.end;
    } else {
      merged.push_back(part.range);
    }
    after_match = part.is_match;
  }
  return merged;
}

std::vector<TextRange> merged_to_the_right(const std::vector<SplitPart>& parts) {
  std::vector<TextRange> merged;
  bool before_match = false;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->is_match && !before_match && !merged.empty()) {
      merged.back().begin = part->range.begin;
    } else {
      merged.push_back(part->range);
    }
    before_match = part->is_match;
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

std::vector<TextRange> contiguous(const std::vector<SplitPart>& parts) {
  std::vector<TextRange> merged;
  bool was_match = false;
  for (const SplitPart& part : parts) {
    if (!merged.empty() && part.is_match == was_match) {
      merged.back().end = part.range.end;
    } else {
      merged.push_back(part.range);
    }
    was_match = part.is_match;
  }
  return merged;
}

}  // namespace

std::optional<SplitBehavior> split_behavior(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> known = {
      {{"Removed", SplitBehavior::removed},
       {"Isolated", SplitBehavior::isolated},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  for (const auto& [each, behavior] : known) {
    if (each == name) return behavior;
  }
  return std::nullopt;
}

std::vector<TextRange> split_at(std::string_view text, const std::vector<TextRange>& matches,
                                SplitBehavior behavior, bool is_inverted) {
  const std::vector<SplitPart> parts = parts_of(text, matches, is_inverted);
  if (behavior == SplitBehavior::merged_with_previous) return merged_to_the_left(parts);
  if (behavior == SplitBehavior::merged_with_next) return merged_to_the_right(parts);
  if (behavior == SplitBehavior::contiguous) return contiguous(parts);
  std::vector<TextRange> ranges;
  for (const SplitPart& part : parts) {
    if (!part.is_match || behavior == SplitBehavior::isolated) ranges.push_back(part.range);
  }
  return ranges;
}

std::vector<TextRange> find_characters(std::string_view text, bool (*has_property)(char32_t)) {
  std::vector<TextRange> found;
  for (size_t at = 0; at < text.size();) {
    const Character next = first_character(text.substr(at));
    if (has_property(next.code)) found.push_back({at, at + next.bytes});
    at += next.bytes;
  }
  return found;
}

}  // namespace mithril
