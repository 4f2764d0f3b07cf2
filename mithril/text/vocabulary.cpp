#include "mithril/text/vocabulary.hpp"

namespace mithril {

Vocabulary::Vocabulary(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece& a, const Piece& b) { return a.first < b.first; });
}

// std::string compares bytes without their sign.
Vocabulary::Range Vocabulary::narrowed(Range range, std::size_t place, char byte) {
  const auto byte_of = [&](const Piece& piece) {
    return piece.first.size() > place ? static_cast<unsigned char>(piece.first[place]) : -1;
  };
  const int wanted = static_cast<unsigned char>(byte);
  const Piece* begin = std::partition_point(
      range.begin, range.end, [&](const Piece& piece) { return byte_of(piece) < wanted; });
  const Piece* end = std::partition_point(
      begin, range.end, [&](const Piece& piece) { return byte_of(piece) == wanted; });
  return {begin, end};
}

const Vocabulary::Piece* Vocabulary::find(std::string_view text) const {
  Range range = all();
  for (std::size_t i = 0; i < text.size(); ++i) range = narrowed(range, i, text[i]);
  return range.begin != range.end && range.begin->first.size() == text.size() ? range.begin
                                                                              : nullptr;
}

const Vocabulary::Piece* Vocabulary::longest(std::string_view prefix, std::string_view text) const {
  Range range = all();
  for (std::size_t i = 0; i < prefix.size(); ++i) range = narrowed(range, i, prefix[i]);
  const Piece* found = nullptr;
  for (std::size_t i = 0; i < text.size() && range.begin != range.end; ++i) {
    range = narrowed(range, prefix.size() + i, text[i]);
    // The shortest piece of a range is its first.
    if (range.begin != range.end && range.begin->first.size() == prefix.size() + i + 1)
      found = range.begin;
  }
  return found;
}

std::vector<const Vocabulary::Piece*> Vocabulary::beginnings(std::string_view text) const {
  std::vector<const Piece*> found;
  Range range = all();
  for (std::size_t i = 0; i < text.size() && range.begin != range.end; ++i) {
    range = narrowed(range, i, text[i]);
    if (range.begin != range.end && range.begin->first.size() == i + 1)
      found.push_back(range.begin);
  }
  return found;
}

}  // namespace mithril
