// What a tokenizer and its streams share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mithril/text/added_tokens.hpp"
#include "mithril/text/tokenizer_file.hpp"

namespace mithril {

// Immutable: any thread may use it.
class TokenizerModel {
 public:
  explicit TokenizerModel(TokenizerFile file);

  // The tokens of a text, at most `most` of them and those of its last word.
  std::vector<int64_t> text_tokens(std::string_view text, size_t most) const;
  // Cut to the length of the file, with the tokens around the text if `add_special_tokens`.
  std::vector<int64_t> encode(std::string_view text, bool add_special_tokens) const;
  // The types of the tokens that encode(text, true) returned.
  std::vector<int64_t> token_types(size_t count) const;
  std::string decode(const std::vector<int64_t>& tokens, bool skip_special_tokens) const;

  std::optional<int64_t> id(const std::string& token) const;
  std::optional<int64_t> added_id(const std::string& token) const;
  const std::string* token(int64_t id) const;  // null: there is none
  bool is_special(int64_t id) const { return special_.contains(id); }
  size_t vocab_size() const { return size_; }
  const TokenizerFile& file() const { return file_; }

 private:
  void encode_part(std::string_view text, bool is_first, size_t most,
                   std::vector<int64_t>& tokens) const;

  TokenizerFile file_;
  AddedTokens in_text_, in_normalized_text_;
  TokenIds added_;
  std::unordered_map<int64_t, std::string> tokens_;
  std::unordered_set<int64_t> special_;
  size_t size_ = 0;
};

}  // namespace mithril
