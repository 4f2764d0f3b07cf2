// The files that describe a tokenizer: tokenizer.json, or vocab.json and merges.txt of GPT-2.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "byte_pairs.hpp"
#include "words.hpp"

// A token that is found in texts before they are split, such as <s>.
struct AddedToken {
  int64_t id = 0;
  bool is_special = false;  // it is not part of decoded text
};

struct TokenizerFile {
  Vocabulary vocabulary;
  std::vector<Merge> merges;
  BytePairOptions options;
  WordRule words;
  std::map<std::string, AddedToken> added;
  std::vector<int64_t> begin_of_text;  // tokens before each text
};

// std::runtime_error that names the file, and the field with its value, if the file is damaged or
// describes a tokenizer that is not supported.
TokenizerFile read_tokenizer(const std::string& folder);
