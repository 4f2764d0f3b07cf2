// Tokens that are found in a text before it is split into words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril {

struct TextPart {
  std::string_view text;
  std::optional<int64_t> token;  // if the text is an added token
};

class AddedTokens {
 public:
  void add(const std::string& text, int64_t token);  // text that is not empty

  // The added tokens from left to right, the longest where several begin, and the texts between
  // them, which are not empty.
  std::vector<TextPart> split(std::string_view text) const;

 private:
  const std::pair<std::string, int64_t>* at_begin_of(std::string_view text) const;

  // By their first byte; longer ones are first.
  std::array<std::vector<std::pair<std::string, int64_t>>, 256> tokens_;
};

}  // namespace mithril
