#include "mithril/text/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
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

[[noreturn]] void refuse_tokenizer(const Place& place, std::string expected, const Json& got) {
  raise({.kind = ErrorKind::parse,
         .code = "E0771",
         .path = place.pointer(),
         .message = "this is not a tokenizer of the kind WordPiece without capital letters",
         .facts = {{"expected", std::move(expected), ""},
                   {"got", printable(to_text(got)).substr(0, 100), ""}},
         .help = "the Python package tokenizers reads tokenizers of all kinds"});
}

// The value of the field that each place names; null if it or its object is not there.
const Json* field_of(const Json* json, std::initializer_list<const char*> path) {
  for (const char* name : path) {
    const auto* fields = json ? json->as<Json::Object>() : nullptr;
    if (!fields) return nullptr;
    const auto found = std::find_if(fields->begin(), fields->end(),
                                    [&](const auto& field) { return field.first == name; });
    json = found == fields->end() ? nullptr : &found->second;
  }
  return json;
}

void require_value(const Json& file, const char* object, const char* field, const Json& expected) {
  const Json* got = field_of(&file, {object, field});
  const Place root, at_object = root.at(object);
  if (!got || !(*got == expected))
    refuse_tokenizer(at_object.at(field), to_text(expected), got ? *got : Json());
}

void require_kind(const Json& file) {
  require_value(file, "model", "type", "WordPiece");
  require_value(file, "normalizer", "type", "BertNormalizer");
  require_value(file, "normalizer", "lowercase", true);
  require_value(file, "normalizer", "clean_text", true);
  require_value(file, "normalizer", "handle_chinese_chars", true);
  require_value(file, "pre_tokenizer", "type", "BertPreTokenizer");
  const Place root, at_normalizer = root.at("normalizer"), at_cut = root.at("truncation");
  if (const Json* side = field_of(&file, {"truncation", "direction"}))
    if (!(*side == Json("Right")))
      refuse_tokenizer(at_cut.at("direction"), to_text("Right"), *side);
  const Json* strip = field_of(&file, {"normalizer", "strip_accents"});
  if (strip && *strip == Json(false))
    refuse_tokenizer(at_normalizer.at("strip_accents"), "true or null", *strip);
}

// The names of the special pieces around a text: [CLS] A [SEP].
std::vector<std::string> template_of(const Json& file) {
  std::vector<std::string> names;
  const Json* single = field_of(&file, {"post_processor", "single"});
  const auto* items = single ? single->as<Json::Array>() : nullptr;
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const Json* special = field_of(&(*items)[i], {"SpecialToken", "id"});
    const Json* sequence = field_of(&(*items)[i], {"Sequence", "id"});
    const Json* id = special ? special : sequence;
    names.push_back(id && id->as<std::string>() ? *id->as<std::string>() : "");
  }
  return names;
}

// The post-processor adds the pieces of the vocabulary: it has names and ids of its own.
void require_template(const Json& file, const Tokenizer::Impl& made) {
  const Json* got = field_of(&file, {"post_processor"});
  const Place root, here = root.at("post_processor");
  const auto refuse = [&] { refuse_tokenizer(here, "[CLS] A [SEP]", got ? *got : Json()); };
  const Json* kind = field_of(got, {"type"});
  const bool is_bert = kind && *kind == Json("BertProcessing");
  if (!is_bert && template_of(file) != std::vector<std::string>{begin_piece, "A", end_piece})
    refuse();
  const auto require = [&](std::initializer_list<const char*> path, const Json& expected) {
    const Json* value = field_of(got, path);
    if (value ? !(*value == expected) : is_bert) refuse();
  };
  if (is_bert) {
    require({"cls"}, Json::Array{begin_piece, made.first});
    require({"sep"}, Json::Array{end_piece, made.last});
  } else {
    require({"special_tokens", begin_piece, "ids"}, Json::Array{made.first});
    require({"special_tokens", end_piece, "ids"}, Json::Array{made.last});
  }
}

void read_added(const Json& file, Tokenizer::Impl& made) {
  const Json* listed = field_of(&file, {"added_tokens"});
  if (!listed) return;
  const Place root, at_added = root.at("added_tokens");
  const Json::Array& items = array_of(*listed, at_added);
  if (items.size() > most_added_pieces) {
    refuse_tokenizer(at_added, fmt::format("at most {} pieces", most_added_pieces),
                     static_cast<std::int64_t>(items.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Place here = at_added.at(i), at_content = here.at("content"), at_id = here.at("id");
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
      const Json* value = field_of(&items[i], {flag});
      if (value && *value == Json(true)) refuse_tokenizer(here.at(flag), "false", *value);
    }
    const Fields fields(items[i], here);
    const std::string& content = text_of(fields.need("content"), at_content);
    if (content.empty()) refuse_tokenizer(at_content, "a piece", content);
    const Json& id = fields.need("id");
    made.added[content] = integer_of(id, at_id);
    const Vocabulary::Piece* known = made.ids.find(content);
    if (known && known->second != made.added[content])
      refuse_tokenizer(at_id, "the id of the vocabulary, " + std::to_string(known->second), id);
  }
}

std::size_t size_at(const Json& json, const Place& place) {
  const std::int64_t size = integer_of(json, place);
  if (size < 0) refuse_tokenizer(place, "a size of 0 or more", json);
  return static_cast<std::size_t>(size);
}

Tokenizer::Impl read_tokenizer(std::string_view text) {
  const Json file = guarded_parse(text);
  const Place root, at_model = root.at("model"), at_vocab = at_model.at("vocab");
  object_of(file, root);
  require_kind(file);
  Tokenizer::Impl made{};
  const Json& model = *field_of(&file, {"model"});
  const Fields fields(model, at_model);
  std::vector<Vocabulary::Piece> pieces;
  for (const auto& [piece, id] : object_of(fields.need("vocab"), at_vocab))
    pieces.emplace_back(piece, integer_of(id, at_vocab.at(piece)));
  made.ids = Vocabulary(std::move(pieces));
  read_added(file, made);
  made.prefix =
      text_of(fields.need("continuing_subword_prefix"), at_model.at("continuing_subword_prefix"));
  const Json& longest = fields.need("max_input_chars_per_word");
  const Place at_longest = at_model.at("max_input_chars_per_word");
  made.longest_word = size_at(longest, at_longest);
  if (made.longest_word > most_word_characters) {
    refuse_tokenizer(at_longest, fmt::format("at most {} characters", most_word_characters),
                     longest);
  }
  const Place at_cut = root.at("truncation");
  if (const Json* most = field_of(&file, {"truncation", "max_length"}))
    made.max_length = size_at(*most, at_cut.at("max_length"));
  const auto id_of = [&](const std::string& piece) {
    const auto special = made.added.find(piece);
    if (special != made.added.end()) return special->second;
    const Vocabulary::Piece* found = made.ids.find(piece);
    if (!found) refuse_tokenizer(at_vocab, "the piece " + quoted(printable(piece)), Json());
    return found->second;
  };
  made.first = id_of(begin_piece);
  made.last = id_of(end_piece);
  made.padding = id_of(padding_piece);
  made.unknown = id_of(text_of(fields.need("unk_token"), at_model.at("unk_token")));
  require_template(file, made);
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
