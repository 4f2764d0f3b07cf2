#include "mithril/text/pattern.hpp"

#include "mithril/text/pattern_parts.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

using PatternItems = std::vector<PatternItem>;

// The items that have to match after a group.
struct PatternRest {
  const PatternItems* items;
  size_t index;
  const PatternRest* after;
};

class PatternMatcher {
 public:
  explicit PatternMatcher(std::string_view text) : text_(text) {}

  // Where the match at a place ends.
  std::optional<size_t> match(const PatternGroup& group, size_t at) {
    for (const PatternItems& items : group.alternatives) {
      if (goes_on(items, 0, at, nullptr)) return end_;
    }
    return std::nullopt;
  }

 private:
  bool goes_on(const PatternItems& items, size_t index, size_t at, const PatternRest* rest) {
    if (index == items.size()) {
      if (rest) return goes_on(*rest->items, rest->index, at, rest->after);
      end_ = at;
      return true;
    }
    const PatternItem& item = items[index];
    switch (item.kind) {
      case PatternItem::Kind::set:
        return repeats(items, index, at, rest);
      case PatternItem::Kind::group:
        return has_group(items, index, at, rest);
      case PatternItem::Kind::lookahead:
        if (match(*item.group, at).has_value() == item.is_negated) return false;
        break;
      case PatternItem::Kind::line_begin:
        if (at > 0 && text_[at - 1] != '\n') return false;
        break;
      case PatternItem::Kind::line_end:
        if (at < text_.size() && text_[at] != '\n') return false;
        break;
    }
    return goes_on(items, index + 1, at, rest);
  }

  bool has_group(const PatternItems& items, size_t index, size_t at, const PatternRest* rest) {
    const PatternItem& item = items[index];
    const PatternRest after{&items, index + 1, rest};
    for (const PatternItems& each : item.group->alternatives) {
      if (goes_on(each, 0, at, &after)) return true;
    }
    return item.least == 0 && goes_on(items, index + 1, at, rest);
  }

  // The place after a character of the set.
  std::optional<size_t> after_one(const CharacterSet& set, size_t at) const {
    if (at == text_.size()) return std::nullopt;
    const Character next = first_character(text_.substr(at));
    return set.has(next.code) ? std::optional(at + next.bytes) : std::nullopt;
  }

  bool repeats(const PatternItems& items, size_t index, size_t at, const PatternRest* rest) {
    const PatternItem& item = items[index];
    const bool is_lazy = item.repeat == PatternItem::Repeat::lazy;
    size_t count = 0;
    size_t most = is_lazy ? item.least : item.most;
    const auto take = [&] {
      while (count < most) {
        const std::optional<size_t> next = after_one(item.set, at);
        if (!next) return;
        at = *next;
        ++count;
      }
    };
    take();
    if (count < item.least) return false;
    while (!goes_on(items, index + 1, at, rest)) {
      if (is_lazy) {
        if (count == item.most) return false;
        most = count + 1;
        take();
        if (count < most) return false;
        continue;
      }
      if (count == item.least || item.repeat == PatternItem::Repeat::possessive) return false;
      --count;
      do --at;
      while ((static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80);
    }
    return true;
  }

  std::string_view text_;
  size_t end_ = 0;
};

std::vector<TextRange> find_text(std::string_view text, std::string_view wanted) {
  std::vector<TextRange> found;
  for (size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size()))
    found.push_back({at, at + wanted.size()});
  return found;
}

}  // namespace

std::optional<Pattern> Pattern::read(std::string_view expression) {
  std::optional<PatternGroup> group = read_pattern(expression);
  if (!group) return std::nullopt;
  Pattern pattern;
  pattern.group_ = std::make_shared<const PatternGroup>(*std::move(group));
  return pattern;
}

Pattern Pattern::of_text(std::string text) {
  Pattern pattern;
  pattern.text_ = std::move(text);
  return pattern;
}

std::vector<TextRange> Pattern::find_all(std::string_view text) const {
  if (!group_) return find_text(text, text_);
  std::vector<TextRange> found;
  PatternMatcher matcher(text);
  for (size_t at = 0; at < text.size();) {
    const std::optional<size_t> end = matcher.match(*group_, at);
    if (end && *end > at) {
      found.push_back({at, *end});
      at = *end;
    } else {
      at += character_bytes(text[at]);
    }
  }
  return found;
}

}  // namespace mithril
