#include "mithril/text/word_pieces.hpp"

#include <utility>

#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {

WordPieces::WordPieces(const TokenIds& vocabulary, WordPieceOptions options)
    : pieces_(vocabulary), options_(std::move(options)) {}

bool WordPieces::append_pieces(std::string_view word, std::vector<int64_t>& tokens) const {
  size_t characters = 0;
  for (size_t at = 0; at < word.size(); at += character_bytes(word[at])) ++characters;
  if (characters > options_.longest_word) return false;
  for (size_t at = 0; at < word.size();) {
    const std::string_view start = at > 0 ? std::string_view(options_.prefix) : std::string_view();
    const Vocabulary::Piece* piece = pieces_.longest(start, word.substr(at));
    if (!piece) return false;
    tokens.push_back(piece->second);
    at += piece->first.size() - start.size();
  }
  return true;
}

void WordPieces::encode(std::string_view word, std::vector<int64_t>& tokens) const {
  const size_t before = tokens.size();
  if (append_pieces(word, tokens)) return;
  tokens.resize(before);
  const Vocabulary::Piece* unknown = pieces_.find(options_.unknown);
  if (!unknown) lacks_unknown("/model/unk_token", options_.unknown);
  tokens.push_back(unknown->second);
}

}  // namespace mithril
