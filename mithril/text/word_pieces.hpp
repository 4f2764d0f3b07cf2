// WordPiece: a word becomes the longest pieces from left to right.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/vocabulary.hpp"

namespace mithril {

struct WordPieceOptions {
  std::string unknown;      // the token of a word that no pieces make
  std::string prefix;       // of pieces within a word: "##"
  size_t longest_word = 0;  // in characters; longer words are unknown
};

class WordPieces {
 public:
  WordPieces(const TokenIds& vocabulary, WordPieceOptions options);

  // Appends the tokens of a word in UTF-8. ParseError E0774 if the token for unknown words is
  // needed and the vocabulary lacks it.
  void encode(std::string_view word, std::vector<int64_t>& tokens) const;

 private:
  bool append_pieces(std::string_view word, std::vector<int64_t>& tokens) const;

  Vocabulary pieces_;
  WordPieceOptions options_;
};

}  // namespace mithril
