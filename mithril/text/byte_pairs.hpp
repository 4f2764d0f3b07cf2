// Byte-pair encoding: the characters of a word are merged pair by pair.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/text/byte_tokens.hpp"
#include "mithril/text/vocabulary.hpp"

namespace mithril {

// Two tokens and the token that takes their place. Earlier merges of a list go first.
struct Merge {
  int64_t left = 0, right = 0, result = 0;
};

// For characters that the vocabulary lacks, and for whole words.
struct BytePairOptions {
  std::string unknown;         // the token of such a character; empty: the character is left out
  bool fuse_unknown = false;   // one token for several such characters
  bool byte_fallback = false;  // tokens such as <0x0A> for their bytes, if the vocabulary has all
  bool ignore_merges = false;  // a word that is a token is that token, whatever the merges make
};

class BytePairs {
 public:
  BytePairs(std::shared_ptr<const TokenIds> vocabulary, const std::vector<Merge>& merges,
            BytePairOptions options);

  // Appends the tokens of a word in UTF-8, as `tokenizers` of Hugging Face does. The time grows
  // with n log n for n characters. ParseError E0774 if the token for unknown characters is needed
  // and the vocabulary lacks it.
  void encode(std::string_view word, std::vector<int64_t>& tokens) const;

 private:
  struct Rank {
    size_t rank = 0;
    int64_t result = 0;
  };
  struct Pair {
    int64_t left = 0, right = 0;
    bool operator==(const Pair&) const = default;
  };
  struct HashOfPair {
    size_t operator()(const Pair& pair) const;
  };

  std::vector<int64_t> characters(std::string_view word) const;
  int64_t unknown_token() const;
  const Rank* rank_of(int64_t left, int64_t right) const;
  void merge(std::vector<int64_t>& tokens) const;

  std::shared_ptr<const TokenIds> vocabulary_;  // immutable, and shared with the tokenizer
  std::unordered_map<Pair, Rank, HashOfPair> ranks_;
  ByteTokens bytes_;
  BytePairOptions options_;
};

}  // namespace mithril
