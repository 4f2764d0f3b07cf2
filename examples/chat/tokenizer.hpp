// The tokenizer of GPT-2: byte-pair encoding of the bytes of words.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class Tokenizer {
 public:
  // Reads vocab.json and merges.txt in a folder; std::runtime_error if a file is missing.
  explicit Tokenizer(const std::string& folder);

  // Text in UTF-8. Words are split as GPT-2 splits them; outside ASCII, letters and digits are told
  // from punctuation by blocks of Unicode.
  std::vector<int64_t> encode(std::string_view text) const;
  std::string decode(int64_t token) const;  // bytes, perhaps a part of a character
  int64_t end_of_text() const { return end_of_text_; }

 private:
  void encode_word(std::string_view word, std::vector<int64_t>& tokens) const;

  std::map<std::string, int64_t> tokens_;
  std::vector<std::string> texts_;                               // of the tokens, in bytes
  std::map<std::pair<std::string, std::string>, size_t> ranks_;  // of the merges
  int64_t end_of_text_ = 0;
};

// The words and spaces into which GPT-2 splits a text before it merges bytes.
std::vector<std::string_view> split_words(std::string_view text);
