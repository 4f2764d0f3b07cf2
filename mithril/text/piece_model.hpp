// Reads the model of a tokenizer.json: BPE, WordPiece or Unigram.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/byte_pairs.hpp"
#include "mithril/text/json_field.hpp"
#include "mithril/text/vocabulary.hpp"

namespace mithril {

// Appends the tokens of a word in valid UTF-8; any thread may call it.
using WordEncoder = std::function<void(std::string_view, std::vector<int64_t>&)>;

struct PieceModel {
  std::shared_ptr<const TokenIds> vocabulary;  // immutable, and shared with the encoder
  WordEncoder encode;
};

// "BPE", "WordPiece" or "Unigram"; E0772 for another. The oldest files do not name it.
std::string kind_of_model(const JsonField& model);

// ParseError E0772 for a model of another kind, E0773 for a merge of tokens that are not in the
// vocabulary, E0726 for values of another form.
PieceModel read_piece_model(const JsonField& model);

// Reads merges.txt of GPT-2. ParseError E0773 with the line.
std::vector<Merge> read_gpt2_merges(std::string_view merges_txt, const TokenIds& vocabulary);
PieceModel byte_pair_model(TokenIds vocabulary, const std::vector<Merge>& merges,
                           BytePairOptions options);

}  // namespace mithril
