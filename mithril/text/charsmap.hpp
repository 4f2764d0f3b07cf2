// The compiled map of characters of a SentencePiece model.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

class Charsmap {
 public:
  // From the base64 of tokenizer.json; none for a damaged map.
  static std::optional<Charsmap> read(std::string_view base64);

  // Normalizes valid UTF-8. As the package tokenizers does, it looks up short grapheme clusters
  // first, and the shortest key that begins one.
  std::string normal(std::string_view text) const;

 private:
  std::optional<std::string_view> replacement(std::string_view key) const;

  std::vector<uint32_t> trie_;  // a double array of Darts
  std::string texts_;           // each with a zero at its end
};

}  // namespace mithril
