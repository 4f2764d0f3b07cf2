// Byte-pair encoding of texts: the tokenizers of GPT-2, Llama, Mistral and Qwen2.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/text/added_tokens.hpp"
#include "mithril/text/byte_pair_file.hpp"
#include "mithril/text/byte_pairs.hpp"

class Tokenizer {
 public:
  // Reads tokenizer.json in a folder, or vocab.json and merges.txt of GPT-2. std::runtime_error if
  // a file is missing or damaged, or describes another kind of tokenizer.
  explicit Tokenizer(const std::string& folder);

  // The tokens of a text in UTF-8, without begin_of_text(). Added tokens such as <s> are found in
  // the text. Bytes that are not UTF-8 count as U+FFFD.
  std::vector<int64_t> encode(std::string_view text) const;
  // A token that is not made of text, such as <|endoftext|>.
  std::optional<int64_t> special(const std::string& name) const;
  const std::vector<int64_t>& begin_of_text() const { return file_.begin_of_text; }  // perhaps none

  // What a token adds to a text.
  struct Piece {
    std::string text;      // in tokenizers of bytes, perhaps a part of a character
    bool is_byte = false;  // the text is a byte, such as that of <0x0A>
  };
  const Piece* piece(int64_t token) const;  // null if it adds nothing
  const DecoderRule& decoder() const { return file_.decoder; }

 private:
  Piece piece_of(const std::string& token) const;
  std::string normalized(std::string_view text) const;
  void encode_piece(std::string text, bool is_first, std::vector<int64_t>& tokens) const;

  TokenizerFile file_;
  BytePairs pairs_;
  AddedTokens in_text_, in_normalized_text_;
  std::unordered_map<int64_t, Piece> pieces_;
};
