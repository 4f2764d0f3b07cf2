// How matches of a pattern split a text.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "mithril/text/pattern.hpp"

namespace mithril {

// The treatment of matches: see SplitDelimiterBehavior of the package tokenizers.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

std::optional<SplitBehavior> split_behavior(std::string_view name);  // such as "MergedWithNext"

// The parts of a text that are not empty, from left to right. `matches` ascend and do not overlap.
// With `is_inverted`, what lies between the matches counts as the matches.
std::vector<TextRange> split_at(std::string_view text, const std::vector<TextRange>& matches,
                                SplitBehavior behavior, bool is_inverted = false);

// Each character that has the property.
std::vector<TextRange> find_characters(std::string_view text, bool (*has_property)(char32_t));

}  // namespace mithril
