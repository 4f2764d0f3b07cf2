// Tokens that are found in a text before it is split into words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/text/vocabulary.hpp"

namespace mithril {

// Such as <s>.
struct AddedToken {
  int64_t id = 0;
  std::string text;
  bool is_normalized = false;   // it is found, as it is normalized, in normalized text
  bool is_special = false;      // it is not part of decoded text
  bool is_single_word = false;  // no letter or digit is beside it
  bool strips_left = false;     // it takes the spaces before it
  bool strips_right = false;    // it takes the spaces after it
};

struct TextPart {
  std::string_view text;
  std::optional<int64_t> token;  // if the text is an added token
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // `text` is what is found; texts that are empty are never found.
  explicit AddedTokens(const std::vector<AddedToken>& tokens);

  // The added tokens from left to right, the longest where several begin, and the texts between
  // them, which are not empty.
  std::vector<TextPart> split(std::string_view text) const;

 private:
  Vocabulary texts_;
  std::unordered_map<int64_t, AddedToken> tokens_;
};

}  // namespace mithril
