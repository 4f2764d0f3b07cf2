// Byte-pair encoding of the bytes of words: the tokenizers of GPT-2, Llama 3 and Qwen2.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "added_tokens.hpp"
#include "byte_pairs.hpp"
#include "tokenizer_file.hpp"

class Tokenizer {
 public:
  // Reads tokenizer.json in a folder, or vocab.json and merges.txt of GPT-2. std::runtime_error if
  // a file is missing or damaged, or describes another kind of tokenizer.
  explicit Tokenizer(const std::string& folder);

  // The tokens of a text in UTF-8, without begin_of_text(). Added tokens such as <|endoftext|> are
  // found in the text. Bytes that are not UTF-8 count as U+FFFD.
  std::vector<int64_t> encode(std::string_view text) const;
  std::string decode(int64_t token) const;  // bytes, perhaps a part of a character
  // A token that is not made of text, such as <|endoftext|>.
  std::optional<int64_t> special(const std::string& name) const;
  const std::vector<int64_t>& begin_of_text() const { return file_.begin_of_text; }  // perhaps none

 private:
  TokenizerFile file_;
  BytePairs pairs_;
  AddedTokens in_text_;
  std::unordered_map<int64_t, std::string> texts_;  // of the tokens, in bytes
};
