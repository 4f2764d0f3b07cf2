// The old tokenizer of byte-pair encoding, until 0.2.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/text/tokenizer.hpp"

namespace mithril {

// The old name of Tokenizer for byte-pair encoding, until 0.2. Its encode() adds no special tokens.
class BytePairTokenizer : public Tokenizer {
 public:
  explicit BytePairTokenizer(std::string_view tokenizer_json) : Tokenizer(tokenizer_json) {}
  BytePairTokenizer(std::string_view vocab_json, std::string_view merges_txt)
      : Tokenizer(gpt2(vocab_json, merges_txt)) {}

  static BytePairTokenizer load(const std::string& folder) {
    return BytePairTokenizer(Tokenizer::load(folder));
  }

  std::vector<std::int64_t> encode(std::string_view text) const {
    return Tokenizer::encode(text, false);
  }

 private:
  explicit BytePairTokenizer(Tokenizer tokenizer) : Tokenizer(std::move(tokenizer)) {}
};

}  // namespace mithril
