// The unigram language model of SentencePiece: a word becomes the most probable pieces.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/byte_tokens.hpp"
#include "mithril/text/vocabulary.hpp"

namespace mithril {

struct UnigramOptions {
  std::optional<int64_t> unknown =
      std::nullopt;            // the token of characters that the vocabulary lacks
  bool byte_fallback = false;  // tokens such as <0x0A> for their bytes, if there are all
};

class Unigram {
 public:
  // scores: the logarithms of the probabilities, by token.
  Unigram(std::shared_ptr<const TokenIds> vocabulary, std::vector<double> scores,
          UnigramOptions options);

  // Appends the tokens of a word in UTF-8: of the path with the largest total score (Viterbi), as
  // `tokenizers` of Hugging Face. ParseError E0774 if the token for unknown characters is needed
  // and the file names none.
  void encode(std::string_view word, std::vector<int64_t>& tokens) const;

 private:
  struct Step {  // the last piece of the best path to a place
    bool is_reached = false;
    double score = 0;
    size_t begin = 0;
    int64_t token = 0;
  };

  std::vector<Step> best_steps(std::string_view word) const;
  void append_unknown(std::string_view text, std::vector<int64_t>& tokens) const;
  int64_t unknown_token() const;

  std::shared_ptr<const TokenIds> vocabulary_;  // immutable, and shared with the tokenizer
  Vocabulary pieces_;
  std::vector<double> scores_;
  UnigramOptions options_;
  double unknown_score_ = 0;
  ByteTokens bytes_;
};

}  // namespace mithril
