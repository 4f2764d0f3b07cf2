#include "mithril/text/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/text/json_field.hpp"
#include "mithril/text/utf8.hpp"
#include "mithril/text/vocabulary.hpp"
#include "mithril/text/words.hpp"

namespace mithril {

struct Tokenizer::Impl {
  Vocabulary ids;
  std::map<std::string, std::int64_t> added;  // pieces that are found in a text before its words
  std::string prefix;                         // of pieces within a word: "##"
  std::size_t longest_word = 0;
  std::size_t max_length = 0;                  // of a text in ids; 0: any
  std::int64_t first, last, unknown, padding;  // [CLS], [SEP], [UNK], [PAD]

  // Until `most` ids are found, or a few more.
  void add_text(std::string_view text, std::size_t most, std::vector<std::int64_t>& found) const;
  void add_pieces(std::u32string_view word, std::vector<std::int64_t>& found) const;
};

namespace {

// The time for a text grows with them: files with more are refused.
constexpr std::size_t most_word_characters = 1000, most_added_pieces = 10'000;

constexpr const char *begin_piece = "[CLS]", *end_piece = "[SEP]", *padding_piece = "[PAD]";

[[noreturn]] void refuse_tokenizer(const JsonField& field, std::string expected, const Json& got) {
  raise({.kind = ErrorKind::parse,
         .code = "E0771",
         .path = field.pointer(),
         .message = "this is not a tokenizer of the kind WordPiece without capital letters",
         .facts = {{"expected", std::move(expected), ""},
                   {"got", printable(to_text(got)).substr(0, 100), ""}},
         .help = "the Python package tokenizers reads tokenizers of all kinds"});
}

[[noreturn]] void refuse_tokenizer(const JsonField& field, std::string expected) {
  refuse_tokenizer(field, std::move(expected), field.value());
}

void require_value(const JsonField& field, const Json& expected) {
  if (!(field.value() == expected)) refuse_tokenizer(field, to_text(expected));
}

void require_kind(const JsonField& file) {
  const JsonField normalizer = file["normalizer"];
  require_value(file["model"]["type"], "WordPiece");
  require_value(normalizer["type"], "BertNormalizer");
  require_value(normalizer["lowercase"], true);
  require_value(normalizer["clean_text"], true);
  require_value(normalizer["handle_chinese_chars"], true);
  require_value(file["pre_tokenizer"]["type"], "BertPreTokenizer");
  const JsonField side = file["truncation"]["direction"];
  if (!side.is_null()) require_value(side, "Right");
  const JsonField strip = normalizer["strip_accents"];
  if (strip.value() == Json(false)) refuse_tokenizer(strip, "true or null");
}

// The names of the special pieces around a text: [CLS] A [SEP].
std::vector<std::string> template_of(const JsonField& processor) {
  std::vector<std::string> names;
  const JsonField single = processor["single"];
  if (single.is_null()) return names;
  for (const JsonField& item : single.items()) {
    const JsonField special = item["SpecialToken"]["id"], sequence = item["Sequence"]["id"];
    names.push_back((special.is_null() ? sequence : special).text_or(""));
  }
  return names;
}

// The post-processor adds the pieces of the vocabulary: it has names and ids of its own.
void require_template(const JsonField& processor, const Tokenizer::Impl& made) {
  const auto refuse = [&] { refuse_tokenizer(processor, "[CLS] A [SEP]"); };
  const bool is_bert = processor["type"].value() == Json("BertProcessing");
  if (!is_bert && template_of(processor) != std::vector<std::string>{begin_piece, "A", end_piece})
    refuse();
  const auto require = [&](const JsonField& field, const Json& expected) {
    if (field.is_null() ? is_bert : !(field.value() == expected)) refuse();
  };
  if (is_bert) {
    require(processor["cls"], Json::Array{begin_piece, made.first});
    require(processor["sep"], Json::Array{end_piece, made.last});
  } else {
    const JsonField special = processor["special_tokens"];
    require(special[begin_piece]["ids"], Json::Array{made.first});
    require(special[end_piece]["ids"], Json::Array{made.last});
  }
}

void read_added(const JsonField& listed, Tokenizer::Impl& made) {
  if (listed.is_null()) return;
  const std::vector<JsonField> items = listed.items();
  if (items.size() > most_added_pieces) {
    refuse_tokenizer(listed, fmt::format("at most {} pieces", most_added_pieces),
                     static_cast<std::int64_t>(items.size()));
  }
  for (const JsonField& item : items) {
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
      if (item[flag].value() == Json(true)) refuse_tokenizer(item[flag], "false");
    }
    const std::string& content = item.need("content").text();
    if (content.empty()) refuse_tokenizer(item["content"], "a piece");
    const JsonField id = item.need("id");
    made.added[content] = id.integer();
    const Vocabulary::Piece* known = made.ids.find(content);
    if (known && known->second != made.added[content])
      refuse_tokenizer(id, "the id of the vocabulary, " + std::to_string(known->second));
  }
}

std::size_t size_in(const JsonField& field) {
  const std::int64_t size = field.integer();
  if (size < 0) refuse_tokenizer(field, "a size of 0 or more");
  return static_cast<std::size_t>(size);
}

Tokenizer::Impl read_tokenizer(std::string_view text) {
  const Json parsed = guarded_parse(text);
  const JsonField file(parsed);
  require_kind(file);
  Tokenizer::Impl made{};
  const JsonField model = file["model"], vocab = model.need("vocab");
  std::vector<Vocabulary::Piece> pieces;
  for (const auto& [piece, id] : vocab.members()) pieces.emplace_back(piece, id.integer());
  made.ids = Vocabulary(std::move(pieces));
  read_added(file["added_tokens"], made);
  made.prefix = model.need("continuing_subword_prefix").text();
  const JsonField longest = model.need("max_input_chars_per_word");
  made.longest_word = size_in(longest);
  if (made.longest_word > most_word_characters)
    refuse_tokenizer(longest, fmt::format("at most {} characters", most_word_characters));
  const JsonField cut = file["truncation"]["max_length"];
  if (!cut.is_null()) made.max_length = size_in(cut);
  const auto id_of = [&](const std::string& piece) {
    const auto special = made.added.find(piece);
    if (special != made.added.end()) return special->second;
    const Vocabulary::Piece* found = made.ids.find(piece);
    if (!found) refuse_tokenizer(vocab, "the piece " + quoted(printable(piece)), Json());
    return found->second;
  };
  made.first = id_of(begin_piece);
  made.last = id_of(end_piece);
  made.padding = id_of(padding_piece);
  made.unknown = id_of(model.need("unk_token").text());
  require_template(file["post_processor"], made);
  return made;
}

}  // namespace

// The longest piece at each place; a word that has none is [UNK].
void Tokenizer::Impl::add_pieces(std::u32string_view word, std::vector<std::int64_t>& found) const {
  const std::size_t before = found.size();
  const std::string text = word.size() <= longest_word ? utf8_of(word) : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view start = at > 0 ? std::string_view(prefix) : std::string_view();
    const Vocabulary::Piece* piece = ids.longest(start, std::string_view(text).substr(at));
    if (!piece) break;
    found.push_back(piece->second);
    at += piece->first.size() - start.size();
    if (at == text.size()) return;
  }
  found.resize(before);
  found.push_back(unknown);
}

void Tokenizer::Impl::add_text(std::string_view text, std::size_t most,
                               std::vector<std::int64_t>& found) const {
  struct Next {
    std::string_view piece;
    std::int64_t id;
    std::size_t place;  // not before where the search began
  };
  std::vector<Next> nexts;
  for (const auto& [piece, id] : added) nexts.push_back({piece, id, text.find(piece)});
  for (std::size_t begin = 0; begin < text.size() && found.size() < most;) {
    const Next* first = nullptr;
    for (Next& next : nexts) {
      // Searched again only when it is passed, so that a text is read once for each piece.
      if (next.place < begin) next.place = text.find(next.piece, begin);
      if (next.place == text.npos) continue;
      const bool is_earlier = !first || next.place < first->place;
      const bool is_longer =
          first && next.place == first->place && next.piece.size() > first->piece.size();
      if (is_earlier || is_longer) first = &next;
    }
    const std::size_t end = first ? first->place : text.size();
    for (const std::u32string& word : bert_words(text.substr(begin, end - begin))) {
      if (found.size() >= most) return;
      add_pieces(word, found);
    }
    if (!first) return;
    found.push_back(first->id);
    begin = end + first->piece.size();
  }
}

Tokenizer::Tokenizer(std::string_view tokenizer_json, std::size_t max_length) {
  auto made = std::make_shared<Impl>(read_tokenizer(tokenizer_json));
  if (max_length > 0) made->max_length = max_length;
  impl_ = std::move(made);
}

std::vector<std::int64_t> Tokenizer::ids(std::string_view text) const {
  constexpr std::size_t around = 2;  // [CLS] and [SEP]
  std::vector<std::int64_t> found = {impl_->first};
  const std::size_t most = impl_->max_length > 0 ? std::max(impl_->max_length, around) - 1
                                                 : std::numeric_limits<std::size_t>::max();
  impl_->add_text(text, most, found);
  found.resize(std::min(found.size(), most));
  found.push_back(impl_->last);
  return found;
}

TensorMap Tokenizer::operator()(const std::vector<std::string>& texts) const {
  std::vector<std::vector<std::int64_t>> rows;
  std::size_t longest = 0;
  for (const std::string& text : texts) {
    rows.push_back(ids(text));
    longest = std::max(longest, rows.back().size());
  }
  const Dims dims = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(longest)};
  Tensor mask(DType::boolean, dims);
  std::vector<std::int64_t> padded;
  bool* valid = mask.mutable_data<bool>();
  for (std::vector<std::int64_t>& row : rows) {
    std::fill_n(valid, row.size(), true);
    valid += longest;
    row.resize(longest, impl_->padding);
    padded.insert(padded.end(), row.begin(), row.end());
  }
  return {{"input_ids", Tensor::of<std::int64_t>(dims, padded)},
          {"token_type_ids", Tensor(DType::int64, dims)},
          {"attention_mask", mask}};
}

}  // namespace mithril
