// What the encoders and decoders of a byte-pair tokenizer share: its tokens, merges and rules.
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

namespace mithril {

// Immutable: any thread may use it.
class BytePairModel {
 public:
  explicit BytePairModel(BytePairFile file);

  std::vector<int64_t> encode(std::string_view text) const;
  std::optional<int64_t> added_token(const std::string& text) const;
  const std::vector<int64_t>& begin_of_text() const { return file_.begin_of_text; }

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

  BytePairFile file_;
  BytePairs pairs_;
  AddedTokens in_text_, in_normalized_text_;
  std::unordered_map<int64_t, Piece> pieces_;
};

}  // namespace mithril
