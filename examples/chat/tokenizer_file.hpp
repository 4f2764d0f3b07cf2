// The files that describe a tokenizer: tokenizer.json, or vocab.json and merges.txt of GPT-2.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "byte_pairs.hpp"
#include "words.hpp"

struct TokenizerFile {
  Vocabulary vocabulary;
  std::vector<Merge> merges;
  BytePairOptions options;
  WordRule words;
  std::map<std::string, int64_t> added;  // tokens that are not made of text
  std::vector<int64_t> begin_of_text;    // tokens before each text
};

// std::runtime_error that names the file, and the field with its value, if the file is damaged or
// describes a tokenizer that is not supported.
TokenizerFile read_tokenizer(const std::string& folder);
