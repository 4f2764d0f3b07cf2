#include "tokenizer.hpp"

#include <utility>

#include "printed_bytes.hpp"
#include "utf8.hpp"
#include "words.hpp"

Tokenizer::Tokenizer(const std::string& folder) : file_(read_tokenizer(folder)) {
  for (const auto& [text, token] : file_.vocabulary) texts_[token] = bytes_of(text);
  for (const auto& [text, token] : file_.added) {
    in_text_.add(text, token.id);
    texts_[token.id] = token.is_special ? "" : bytes_of(text);
  }
  pairs_ = BytePairs(std::move(file_.vocabulary), file_.merges, file_.options);
}

std::optional<int64_t> Tokenizer::special(const std::string& name) const {
  const auto found = file_.added.find(name);
  return found == file_.added.end() ? std::nullopt : std::optional(found->second.id);
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> tokens;
  const std::string valid = valid_utf8(text);
  for (const TextPart& part : in_text_.split(valid)) {
    if (part.token) {
      tokens.push_back(*part.token);
      continue;
    }
    for (const std::string_view word : split_words(part.text, file_.words))
      pairs_.encode(printed(word), tokens);
  }
  return tokens;
}

std::string Tokenizer::decode(int64_t token) const {
  const auto found = texts_.find(token);
  return found == texts_.end() ? std::string() : found->second;
}
