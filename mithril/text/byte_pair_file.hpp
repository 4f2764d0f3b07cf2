// The files that describe a byte-pair tokenizer: tokenizer.json, or vocab.json and merges.txt of
// GPT-2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/byte_pairs.hpp"
#include "mithril/text/split_words.hpp"

namespace mithril {

struct Replacement {
  std::string from, to;  // an empty `from`: `to` is put before texts that are not empty
};

// A token that is found in texts before they are split, such as <s>.
struct AddedToken {
  int64_t id = 0;
  bool is_normalized = false;  // it is found, as it is normalized, in normalized text
  bool is_special = false;     // it is not part of decoded text
};

// Spaces are written as a mark, as in SentencePiece.
struct Metaspace {
  enum class Prefix { never, first, always };

  std::string mark;
  Prefix prefix = Prefix::always;  // whether the text, or each text after an added token, gets one
  bool is_split = false;           // each mark begins a word
};

struct DecoderRule {
  bool is_byte_level = false;  // otherwise tokens such as <0x0A> are bytes
  Replacement replacement;     // in each token
  size_t stripped_spaces = 0;  // as many at most, at the beginning of the text
};

struct BytePairFile {
  TokenIds vocabulary;
  std::vector<Merge> merges;
  BytePairOptions options;
  std::vector<Replacement> normalizer;
  std::optional<Metaspace> metaspace;
  std::optional<WordRule> byte_words;  // words whose bytes are merged
  DecoderRule decoder;
  std::map<std::string, AddedToken> added;
  std::vector<int64_t> begin_of_text;  // tokens before each text
};

// Reads a tokenizer.json. ParseError E0772 for a tokenizer of another kind, E0773 for a merge of
// tokens that are not in the vocabulary, E0726 for values of another form, and errors as
// guarded_parse. Each names the field.
BytePairFile read_byte_pair_file(std::string_view tokenizer_json);

// Reads vocab.json of GPT-2: the ids of tokens. Errors as read_byte_pair_file.
TokenIds read_gpt2_vocabulary(std::string_view vocab_json);
// Reads merges.txt of GPT-2. ParseError E0773 with the line.
std::vector<Merge> read_gpt2_merges(std::string_view merges_txt, const TokenIds& vocabulary);
BytePairFile gpt2_file(TokenIds vocabulary, std::vector<Merge> merges);

}  // namespace mithril
