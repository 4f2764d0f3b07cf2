// The files that describe a tokenizer: tokenizer.json, or vocab.json and merges.txt of GPT-2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/added_tokens.hpp"
#include "mithril/text/normalizer.hpp"
#include "mithril/text/piece_model.hpp"
#include "mithril/text/pre_tokenizer.hpp"
#include "mithril/text/token_decoder.hpp"
#include "mithril/text/token_template.hpp"
#include "mithril/text/vocabulary.hpp"

namespace mithril {

// How the rows of a batch become equally long.
struct TokenPadding {
  int64_t token = 0, type = 0;
  bool is_left = false;
};

struct TokenizerFile {
  std::string kind;  // "BPE", "WordPiece" or "Unigram"
  PieceModel model;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  TokenDecoder decoder;
  TokenTemplate around;
  std::vector<AddedToken> added;
  size_t max_length = 0;   // of a text in tokens; 0: any
  bool keeps_end = false;  // longer texts lose their first tokens instead of their last
  TokenPadding padding;
};

// Reads a tokenizer.json. ParseError E0772 for a tokenizer of another kind, E0773 for a merge of
// tokens that are not in the vocabulary, E0726 and E0727 for values of another form, and errors as
// guarded_parse. Each names the field.
TokenizerFile read_tokenizer_file(std::string_view tokenizer_json);

// Reads vocab.json of GPT-2: the ids of tokens. Errors as read_tokenizer_file.
TokenIds read_gpt2_vocabulary(std::string_view vocab_json);
TokenizerFile gpt2_file(TokenIds vocabulary, const std::vector<Merge>& merges);

}  // namespace mithril
