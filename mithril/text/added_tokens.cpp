#include "mithril/text/added_tokens.hpp"

#include <algorithm>

namespace mithril {

void AddedTokens::add(const std::string& text, int64_t token) {
  auto& tokens = tokens_[static_cast<unsigned char>(text[0])];
  const auto place = std::find_if(tokens.begin(), tokens.end(), [&](const auto& each) {
    return each.first.size() < text.size();
  });
  tokens.emplace(place, text, token);
}

const std::pair<std::string, int64_t>* AddedTokens::at_begin_of(std::string_view text) const {
  const auto& tokens = tokens_[static_cast<unsigned char>(text[0])];
  const auto found = std::find_if(tokens.begin(), tokens.end(),
                                  [&](const auto& each) { return text.starts_with(each.first); });
  return found == tokens.end() ? nullptr : &*found;
}

std::vector<TextPart> AddedTokens::split(std::string_view text) const {
  std::vector<TextPart> parts;
  size_t begin = 0;  // of the text after the last added token
  for (size_t at = 0; at < text.size();) {
    const auto* const found = at_begin_of(text.substr(at));
    if (!found) {
      ++at;
      continue;
    }
    if (begin < at) parts.push_back({text.substr(begin, at - begin), std::nullopt});
    parts.push_back({text.substr(at, found->first.size()), found->second});
    begin = at += found->first.size();
  }
  if (begin < text.size()) parts.push_back({text.substr(begin), std::nullopt});
  return parts;
}

}  // namespace mithril
