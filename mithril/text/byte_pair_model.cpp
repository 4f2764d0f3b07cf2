#include "mithril/text/byte_pair_model.hpp"

#include <charconv>
#include <utility>

#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/split_words.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

void replace_all(std::string& text, const Replacement& replacement) {
  if (replacement.from.empty()) {
    if (!text.empty()) text.insert(0, replacement.to);
    return;
  }
  std::string result;
  size_t begin = 0;
  for (size_t at = text.find(replacement.from); at != std::string::npos;
       at = text.find(replacement.from, begin)) {
    result.append(text, begin, at - begin).append(replacement.to);
    begin = at + replacement.from.size();
  }
  text = result.append(text, begin);
}

// The byte of a token such as <0x0A>.
std::optional<char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  unsigned char byte = 0;
  const char* const end = token.data() + 5;
  if (std::from_chars(token.data() + 3, end, byte, 16).ptr != end) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace

BytePairModel::BytePairModel(BytePairFile file) : file_(std::move(file)) {
  for (const auto& [text, token] : file_.vocabulary) pieces_[token] = piece_of(text);
  for (const auto& [text, token] : file_.added) {
    const std::string found = token.is_normalized ? normalized(text) : text;
    if (!found.empty()) (token.is_normalized ? in_normalized_text_ : in_text_).add(found, token.id);
    if (token.is_special) {
      pieces_.erase(token.id);
    } else {
      pieces_[token.id] = piece_of(found);
    }
  }
  pairs_ = BytePairs(std::move(file_.vocabulary), file_.merges, file_.options);
}

std::optional<int64_t> BytePairModel::added_token(const std::string& text) const {
  const auto found = file_.added.find(text);
  return found == file_.added.end() ? std::nullopt : std::optional(found->second.id);
}

BytePairModel::Piece BytePairModel::piece_of(const std::string& token) const {
  if (file_.decoder.is_byte_level) return {from_printed_bytes(token)};
  std::string text = token;
  replace_all(text, file_.decoder.replacement);
  if (const std::optional<char> byte = byte_of_token(text)) return {std::string(1, *byte), true};
  return {text};
}

const BytePairModel::Piece* BytePairModel::piece(int64_t token) const {
  const auto found = pieces_.find(token);
  return found == pieces_.end() ? nullptr : &found->second;
}

std::string BytePairModel::normalized(std::string_view text) const {
  std::string result(text);
  for (const Replacement& step : file_.normalizer) replace_all(result, step);
  return result;
}

void BytePairModel::encode_piece(std::string text, bool is_first,
                                 std::vector<int64_t>& tokens) const {
  if (file_.byte_words) {
    for (const std::string_view word : split_words(text, *file_.byte_words))
      pairs_.encode(to_printed_bytes(word), tokens);
    return;
  }
  if (!file_.metaspace) return pairs_.encode(text, tokens);
  const Metaspace& spaces = *file_.metaspace;
  replace_all(text, {" ", spaces.mark});
  const bool has_prefix = spaces.prefix == Metaspace::Prefix::always ||
                          (spaces.prefix == Metaspace::Prefix::first && is_first);
  if (has_prefix && !text.starts_with(spaces.mark)) text.insert(0, spaces.mark);
  if (!spaces.is_split) return pairs_.encode(text, tokens);
  for (const std::string_view word : split_before(text, spaces.mark)) pairs_.encode(word, tokens);
}

std::vector<int64_t> BytePairModel::encode(std::string_view text) const {
  std::vector<int64_t> tokens;
  bool is_first = true;
  const std::string valid = valid_utf8(text);
  for (const TextPart& part : in_text_.split(valid)) {
    if (part.token) {
      tokens.push_back(*part.token);
      is_first = false;
      continue;
    }
    const std::string normal = normalized(part.text);
    for (const TextPart& rest : in_normalized_text_.split(normal)) {
      if (rest.token) {
        tokens.push_back(*rest.token);
      } else {
        encode_piece(std::string(rest.text), is_first, tokens);
      }
      is_first = false;
    }
  }
  return tokens;
}

}  // namespace mithril
