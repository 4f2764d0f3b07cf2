#include "mithril/text/tokenizer.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/text/words.hpp"

namespace mithril {

struct Tokenizer::Impl {
  std::unordered_map<std::string, std::int64_t> ids;
  std::string prefix;  // of pieces within a word: "##"
  std::size_t longest_word = 0;
  std::size_t max_length = 0;                  // of a text in ids; 0: any
  std::vector<std::string> added;              // pieces that are found in a text before its words
  std::int64_t first, last, unknown, padding;  // [CLS], [SEP], [UNK], [PAD]

  void add_text(std::string_view text, std::vector<std::int64_t>& found) const;
  void add_pieces(std::u32string_view word, std::vector<std::int64_t>& found) const;
};

namespace {

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
  const Place root, at_normalizer = root.at("normalizer");
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

void require_template(const Json& file) {
  const Json* kind = field_of(&file, {"post_processor", "type"});
  if (kind && *kind == Json("BertProcessing")) return;
  if (template_of(file) == std::vector<std::string>{begin_piece, "A", end_piece}) return;
  const Json* got = field_of(&file, {"post_processor"});
  const Place root;
  refuse_tokenizer(root.at("post_processor"), "[CLS] A [SEP]", got ? *got : Json());
}

std::vector<std::string> added_pieces(const Json& file, Tokenizer::Impl& made) {
  std::vector<std::string> added;
  const Json* listed = field_of(&file, {"added_tokens"});
  if (!listed) return added;
  const Place root, at_added = root.at("added_tokens");
  const Json::Array& items = array_of(*listed, at_added);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Place here = at_added.at(i), at_content = here.at("content"), at_id = here.at("id");
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
      const Json* value = field_of(&items[i], {flag});
      if (value && *value == Json(true)) refuse_tokenizer(here.at(flag), "false", *value);
    }
    const Fields fields(items[i], here);
    const std::string& content = text_of(fields.need("content"), at_content);
    if (content.empty()) refuse_tokenizer(at_content, "a piece", content);
    made.ids[content] = integer_of(fields.need("id"), at_id);
    added.push_back(content);
  }
  return added;
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
  require_template(file);
  Tokenizer::Impl made{};
  const Json& model = *field_of(&file, {"model"});
  const Fields fields(model, at_model);
  for (const auto& [piece, id] : object_of(fields.need("vocab"), at_vocab))
    made.ids[piece] = integer_of(id, at_vocab.at(piece));
  made.added = added_pieces(file, made);
  made.prefix =
      text_of(fields.need("continuing_subword_prefix"), at_model.at("continuing_subword_prefix"));
  made.longest_word =
      size_at(fields.need("max_input_chars_per_word"), at_model.at("max_input_chars_per_word"));
  const Place at_cut = root.at("truncation");
  if (const Json* most = field_of(&file, {"truncation", "max_length"}))
    made.max_length = size_at(*most, at_cut.at("max_length"));
  const auto id_of = [&](const std::string& piece) {
    const auto found = made.ids.find(piece);
    if (found == made.ids.end())
      refuse_tokenizer(at_vocab, "the piece " + quoted(printable(piece)), Json());
    return found->second;
  };
  made.first = id_of(begin_piece);
  made.last = id_of(end_piece);
  made.padding = id_of(padding_piece);
  made.unknown = id_of(text_of(fields.need("unk_token"), at_model.at("unk_token")));
  return made;
}

}  // namespace

// The longest piece at each place; a word that has none is [UNK].
void Tokenizer::Impl::add_pieces(std::u32string_view word, std::vector<std::int64_t>& found) const {
  const std::size_t before = found.size();
  for (std::size_t at = 0; at < word.size() && word.size() <= longest_word;) {
    std::size_t length = word.size() - at;
    auto piece = ids.end();
    for (; length > 0 && piece == ids.end(); --length)
      piece = ids.find((at > 0 ? prefix : "") + utf8_of(word.substr(at, length)));
    if (piece == ids.end()) break;
    found.push_back(piece->second);
    at += length + 1;
    if (at == word.size()) return;
  }
  found.resize(before);
  found.push_back(unknown);
}

void Tokenizer::Impl::add_text(std::string_view text, std::vector<std::int64_t>& found) const {
  while (!text.empty()) {
    std::size_t at = text.size();
    const std::string* next = nullptr;
    for (const std::string& piece : added) {
      const std::size_t place = text.find(piece);
      if (place >= at) continue;
      at = place;
      next = &piece;
    }
    for (const std::u32string& word : bert_words(text.substr(0, at))) add_pieces(word, found);
    if (!next) return;
    found.push_back(ids.at(*next));
    text.remove_prefix(at + next->size());
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
  impl_->add_text(text, found);
  if (impl_->max_length > 0) {
    const std::size_t most = std::max(impl_->max_length, around);
    found.resize(std::min(found.size(), most - 1));
  }
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
