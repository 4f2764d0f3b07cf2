// Byte-pair encoding of the bytes of words: the tokenizers of GPT-2, Llama 3 and Qwen2.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words.hpp"

class Tokenizer {
 public:
  // Reads tokenizer.json in a folder, or vocab.json and merges.txt of GPT-2. std::runtime_error if
  // a file is missing, or describes another kind of tokenizer.
  explicit Tokenizer(const std::string& folder);

  // Text in UTF-8. Outside ASCII, letters and digits are told from punctuation by blocks of
  // Unicode.
  std::vector<int64_t> encode(std::string_view text) const;
  std::string decode(int64_t token) const;  // bytes, perhaps a part of a character
  // A token that is not made of text, such as <|endoftext|>.
  std::optional<int64_t> special(const std::string& name) const;
  const std::vector<int64_t>& begin_of_text() const { return begin_of_text_; }  // perhaps none

 private:
  void read_json(const nlohmann::json& file);
  void add_token(const std::string& printed, int64_t token);
  void encode_word(std::string_view word, std::vector<int64_t>& tokens) const;

  WordRule rule_;
  bool whole_words_first_ = false;  // words that are tokens are not merged from bytes
  std::map<std::string, int64_t> tokens_, specials_;
  std::vector<std::string> texts_;                               // of the tokens, in bytes
  std::map<std::pair<std::string, std::string>, size_t> ranks_;  // of the merges
  std::vector<int64_t> begin_of_text_;
};
