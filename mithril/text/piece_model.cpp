#include "mithril/text/piece_model.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/unigram.hpp"
#include "mithril/text/word_pieces.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_byte_pair(std::string where, std::string message) {
  raise({.kind = ErrorKind::parse,
         .code = "E0773",
         .path = std::move(where),
         .message = std::move(message)});
}

Merge merge_of(const TokenIds& ids, const std::string& left, const std::string& right,
               const std::string& where) {
  const auto token = [&](const std::string& text) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      refuse_byte_pair(where, "the merge of " + in_quotes(printable(left)) + " and " +
                                  in_quotes(printable(right)) + " needs the token " +
                                  in_quotes(printable(text)) + ", which the vocabulary lacks");
    }
    return found->second;
  };
  return {token(left), token(right), token(left + right)};
}

// Reads a merge from a line "a b".
Merge merge_of_line(const TokenIds& ids, const std::string& line, const std::string& where) {
  const size_t space = line.find(' ');
  if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
    refuse_byte_pair(where, "the merge " + in_quotes(printable(line)) +
                                " is not two tokens with a space between");
  return merge_of(ids, line.substr(0, space), line.substr(space + 1), where);
}

std::vector<Merge> read_merges(const JsonField& fields, const TokenIds& ids) {
  std::vector<Merge> merges;
  for (const JsonField& merge : fields.items()) {
    if (merge.is_text()) {
      merges.push_back(merge_of_line(ids, merge.text(), merge.pointer()));
      continue;
    }
    const std::vector<JsonField> pair = merge.items();
    if (pair.size() != 2) merge.refuse_form("two tokens");
    merges.push_back(merge_of(ids, pair[0].text(), pair[1].text(), merge.pointer()));
  }
  return merges;
}

PieceModel read_byte_pairs(const JsonField& model) {
  require_known(
      model, {"type", "vocab", "merges", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges",
              // These have one value that is supported.
              "dropout", "continuing_subword_prefix", "end_of_word_suffix"});
  if (!(model["dropout"].value() == Json(0))) require_setting(model["dropout"], 0.0);
  require_setting(model["continuing_subword_prefix"], "");
  require_setting(model["end_of_word_suffix"], "");
  BytePairOptions options{.unknown = model["unk_token"].text_or(""),
                          .fuse_unknown = model["fuse_unk"].flag_or(false),
                          .byte_fallback = model["byte_fallback"].flag_or(false),
                          .ignore_merges = model["ignore_merges"].flag_or(false)};
  TokenIds ids = read_ids(model["vocab"]);
  const std::vector<Merge> merges = read_merges(model["merges"], ids);
  return byte_pair_model(std::move(ids), merges, std::move(options));
}

template <typename Encoder>
PieceModel model_of(std::shared_ptr<const TokenIds> vocabulary, Encoder encoder) {
  // Copies of a std::function share the encoder, which is immutable.
  return {std::move(vocabulary), [shared = std::make_shared<const Encoder>(std::move(encoder))](
                                     std::string_view word, std::vector<int64_t>& tokens) {
            shared->encode(word, tokens);
          }};
}

PieceModel read_word_pieces(const JsonField& model) {
  require_known(model, {"type", "vocab", "unk_token", "continuing_subword_prefix",
                        "max_input_chars_per_word"});
  // The time for a word grows with the square of its length.
  constexpr int64_t most_word_characters = 1000;
  const JsonField longest = model["max_input_chars_per_word"];
  const int64_t characters = longest.is_null() ? 100 : longest.integer();
  if (characters < 0 || characters > most_word_characters)
    refuse_setting(longest, "0 to " + std::to_string(most_word_characters) + " characters");
  auto vocabulary = std::make_shared<const TokenIds>(read_ids(model["vocab"]));
  WordPieces encoder(*vocabulary, {.unknown = model["unk_token"].text_or("[UNK]"),
                                   .prefix = model["continuing_subword_prefix"].text_or("##"),
                                   .longest_word = static_cast<size_t>(characters)});
  return model_of(std::move(vocabulary), std::move(encoder));
}

PieceModel read_unigram(const JsonField& model) {
  require_known(model, {"type", "vocab", "unk_id", "byte_fallback"});
  TokenIds ids;
  std::vector<double> scores;
  for (const JsonField& piece : model["vocab"].items()) {
    const std::vector<JsonField> pair = piece.items();
    if (pair.size() != 2) piece.refuse_form("a token and its score");
    ids[pair[0].text()] = static_cast<int64_t>(scores.size());
    scores.push_back(pair[1].number());
  }
  UnigramOptions options{.byte_fallback = model["byte_fallback"].flag_or(false)};
  const JsonField unknown = model["unk_id"];
  if (!unknown.is_null())
    options.unknown = unknown.integer(0, static_cast<int64_t>(scores.size()) - 1);
  auto vocabulary = std::make_shared<const TokenIds>(std::move(ids));
  Unigram encoder(vocabulary, std::move(scores), options);
  return model_of(std::move(vocabulary), std::move(encoder));
}

}  // namespace

std::string kind_of_model(const JsonField& model) {
  const JsonField type = model["type"];
  if (type.is_null() && model.has("merges")) return "BPE";
  constexpr std::array known = {"BPE", "WordPiece", "Unigram"};
  if (!type.is_text() || std::find(known.begin(), known.end(), type.text()) == known.end())
    refuse_setting(type, "BPE, WordPiece or Unigram");
  return type.text();
}

PieceModel read_piece_model(const JsonField& model) {
  const std::string kind = kind_of_model(model);
  if (kind == "BPE") return read_byte_pairs(model);
  return kind == "WordPiece" ? read_word_pieces(model) : read_unigram(model);
}

std::vector<Merge> read_gpt2_merges(std::string_view merges_txt, const TokenIds& vocabulary) {
  std::vector<Merge> merges;
  for (size_t number = 1; !merges_txt.empty(); ++number) {
    const size_t end = std::min(merges_txt.find('\n'), merges_txt.size());
    std::string line(merges_txt.substr(0, end));
    merges_txt.remove_prefix(std::min(end + 1, merges_txt.size()));
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && !line.starts_with("#version"))
      merges.push_back(merge_of_line(vocabulary, line, "line " + std::to_string(number)));
  }
  return merges;
}

PieceModel byte_pair_model(TokenIds vocabulary, const std::vector<Merge>& merges,
                           BytePairOptions options) {
  auto shared = std::make_shared<const TokenIds>(std::move(vocabulary));
  BytePairs encoder(shared, merges, std::move(options));
  return model_of(std::move(shared), std::move(encoder));
}

}  // namespace mithril
