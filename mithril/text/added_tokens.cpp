#include "mithril/text/added_tokens.hpp"

#include <algorithm>

#include "mithril/text/unicode.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

// Where the last character before a place begins, which is not the first.
size_t before_place(std::string_view text, size_t place) {
  do --place;
  while ((static_cast<unsigned char>(text[place]) & 0xc0) == 0x80);
  return place;
}

bool is_word_at(std::string_view text, size_t place) {
  const char32_t code = first_character(text.substr(place)).code;
  return is_word_character(code) || code == 0x200c || code == 0x200d;
}

bool is_alone(std::string_view text, size_t begin, size_t end) {
  return (begin == 0 || !is_word_at(text, before_place(text, begin))) &&
         (end == text.size() || !is_word_at(text, end));
}

size_t first_space_before(std::string_view text, size_t place) {
  while (place > 0) {
    const size_t before = before_place(text, place);
    if (!is_white_space(first_character(text.substr(before)).code)) break;
    place = before;
  }
  return place;
}

size_t after_spaces(std::string_view text, size_t place) {
  while (place < text.size()) {
    const Character next = first_character(text.substr(place));
    if (!is_white_space(next.code)) break;
    place += next.bytes;
  }
  return place;
}

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens) {
  TokenIds ids;
  for (const AddedToken& token : tokens) {
    if (token.text.empty()) continue;
    ids.emplace(token.text, token.id);
    tokens_[token.id] = token;
  }
  texts_ = Vocabulary(ids);
}

std::vector<TextPart> AddedTokens::split(std::string_view text) const {
  std::vector<TextPart> parts;
  if (tokens_.empty() && !text.empty()) parts.push_back({text, std::nullopt});
  if (tokens_.empty()) return parts;
  size_t begin = 0;  // of the text after the last added token
  for (size_t at = 0; at < text.size();) {
    const Vocabulary::Piece* const found = texts_.longest("", text.substr(at));
    if (!found) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_.at(found->second);
    size_t first = at, last = at + found->first.size();
    at = last;
    if (token.is_single_word && !is_alone(text, first, last)) continue;
    if (token.strips_left) first = first_space_before(text, first);
    if (token.strips_right) last = after_spaces(text, last);
    first = std::max(first, begin);
    if (first >= last) continue;
    if (begin < first) parts.push_back({text.substr(begin, first - begin), std::nullopt});
    parts.push_back({text.substr(first, last - first), token.id});
    begin = last;
    at = std::max(at, last);
  }
  if (begin < text.size()) parts.push_back({text.substr(begin), std::nullopt});
  return parts;
}

}  // namespace mithril
