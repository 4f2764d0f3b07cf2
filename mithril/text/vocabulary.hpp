// The tokens that a tokenizer knows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mithril {

using TokenIds = std::unordered_map<std::string, int64_t>;

class Vocabulary {
 public:
  using Piece = std::pair<std::string, std::int64_t>;  // and its id

  Vocabulary() = default;
  explicit Vocabulary(std::vector<Piece> pieces);  // no two are equal
  explicit Vocabulary(const TokenIds& ids)
      : Vocabulary(std::vector<Piece>(ids.begin(), ids.end())) {}

  const Piece* find(std::string_view text) const;  // null for an unknown piece
  // The longest piece that is `prefix` and a prefix of `text` of at least one byte; null: none. It
  // reads as many bytes of the text as some piece has.
  const Piece* longest(std::string_view prefix, std::string_view text) const;
  // The pieces that begin `text`, from short to long.
  std::vector<const Piece*> beginnings(std::string_view text) const;

 private:
  // The pieces that have the same bytes up to some place, which are neighbours.
  struct Range {
    const Piece *begin, *end;
  };
  Range all() const { return {pieces_.data(), pieces_.data() + pieces_.size()}; }
  static Range narrowed(Range range, std::size_t place, char byte);

  std::vector<Piece> pieces_;  // sorted
};

}  // namespace mithril
