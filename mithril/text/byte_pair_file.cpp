#include "mithril/text/byte_pair_file.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/text/json_field.hpp"

namespace mithril {
namespace {

constexpr int64_t most_token = (int64_t{1} << 24) - 1;

// Long and nested values are not for messages.
std::string shown_value(const JsonField& field) {
  if (field.value().as<Json::Array>()) return "an array";
  if (field.value().as<Json::Object>())
    return field.has("type") && field["type"].is_text() ? shown_value(field["type"]) : "an object";
  constexpr size_t most = 80;
  const std::string text = to_text(field.value());
  if (text.size() <= most) return printable(text);
  return printable(text.substr(0, utf8_bytes(text.substr(0, most)))) + "...";
}

[[noreturn]] void refuse_setting(const JsonField& field, std::string expected) {
  raise({.kind = ErrorKind::parse,
         .code = "E0772",
         .path = field.pointer(),
         .message = "BytePairTokenizer does not read tokenizers of this kind",
         .facts = {{"expected", std::move(expected), ""}, {"got", shown_value(field), ""}},
         .help = "the Python package tokenizers reads tokenizers of all kinds"});
}

// Null is as good as what is expected.
void require_setting(const JsonField& field, const Json& expected) {
  if (!field.is_null() && !(field.value() == expected)) refuse_setting(field, to_text(expected));
}

[[noreturn]] void refuse_byte_pair(std::string where, std::string message) {
  raise({.kind = ErrorKind::parse,
         .code = "E0773",
         .path = std::move(where),
         .message = std::move(message)});
}

// The parts of a Sequence, or the only part; none of null. Sequences are not nested.
std::vector<JsonField> steps_of(const JsonField& field, const std::string& name) {
  if (field.is_null()) return {};
  if (field.type() == "Sequence") return field[name].items();
  return {field};
}

TokenIds read_ids(const JsonField& tokens) {
  TokenIds ids;
  for (const auto& [text, token] : tokens.members())
    ids.emplace(text, token.integer(0, most_token));
  return ids;
}

Merge merge_of(const TokenIds& ids, const std::string& left, const std::string& right,
               const std::string& where) {
  const auto token = [&](const std::string& text) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      refuse_byte_pair(where, "the merge of " + quoted(printable(left)) + " and " +
                                  quoted(printable(right)) + " needs the token " +
                                  quoted(printable(text)) + ", which the vocabulary lacks");
    }
    return found->second;
  };
  return {token(left), token(right), token(left + right)};
}

// Of "a b".
Merge merge_of_line(const TokenIds& ids, const std::string& line, const std::string& where) {
  const size_t space = line.find(' ');
  if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
    refuse_byte_pair(
        where, "the merge " + quoted(printable(line)) + " is not two tokens with a space between");
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

void read_byte_pair_model(const JsonField& model, BytePairFile& file) {
  // The oldest files do not name the type; merges are those of BPE.
  const bool is_old = !model.has("type") && model.has("merges");
  if (!is_old && (!model["type"].is_text() || model.type() != "BPE"))
    refuse_setting(model["type"], "\"BPE\": the tokenizers of GPT-2, Llama, Mistral and Qwen2");
  static const std::set<std::string> known = {
      "type", "vocab", "merges", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges",
      // These have one value that is supported.
      "dropout", "continuing_subword_prefix", "end_of_word_suffix"};
  for (const auto& [name, value] : model.members()) {
    if (!known.contains(name)) refuse_setting(value, "no such field");
  }
  if (!(model["dropout"].value() == Json(0))) require_setting(model["dropout"], 0.0);
  require_setting(model["continuing_subword_prefix"], "");
  require_setting(model["end_of_word_suffix"], "");
  file.options = {.unknown = model["unk_token"].text_or(""),
                  .fuse_unknown = model["fuse_unk"].flag_or(false),
                  .byte_fallback = model["byte_fallback"].flag_or(false),
                  .ignore_merges = model["ignore_merges"].flag_or(false)};
  file.vocabulary = read_ids(model["vocab"]);
  file.merges = read_merges(model["merges"], file.vocabulary);
}

Replacement read_replacement(const JsonField& step) {
  Replacement replacement{step["pattern"]["String"].text(), step["content"].text()};
  if (replacement.from.empty())
    refuse_setting(step["pattern"]["String"], "a text that is not empty");
  return replacement;
}

std::vector<Replacement> read_normalizer(const JsonField& normalizer) {
  std::vector<Replacement> steps;
  for (const JsonField& step : steps_of(normalizer, "normalizers")) {
    const std::string type = step.type();
    if (type == "Prepend") {
      steps.push_back({"", step["prepend"].text()});
    } else if (type == "Replace") {
      steps.push_back(read_replacement(step));
    } else if (type != "NFC") {  // callers pass composed text
      refuse_setting(step, "Prepend, Replace or NFC");
    }
  }
  return steps;
}

Metaspace read_metaspace(const JsonField& splitter) {
  Metaspace metaspace{.mark = splitter["replacement"].text(),
                      .is_split = splitter["split"].flag_or(true)};
  if (metaspace.mark.empty()) refuse_setting(splitter["replacement"], "a character");
  // Older files have `add_prefix_space` alone.
  const bool adds = splitter["add_prefix_space"].flag_or(true);
  const JsonField scheme = splitter["prepend_scheme"];
  const std::string name = scheme.text_or(adds ? "always" : "never");
  if (name == "always")
    metaspace.prefix = Metaspace::Prefix::always;
  else if (name == "first")
    metaspace.prefix = Metaspace::Prefix::first;
  else if (name == "never")
    metaspace.prefix = Metaspace::Prefix::never;
  else
    refuse_setting(scheme, "first, always or never");
  return metaspace;
}

// Reads a Sequence of two pre-tokenizers: a Split by the regular expression of Llama 3 or Qwen2,
// and a ByteLevel.
WordRule read_words(const JsonField& splitter) {
  static const std::map<std::string, size_t> most_digits = {
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       3},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       1}};
  const std::vector<JsonField> steps = steps_of(splitter, "pretokenizers");
  if (steps.size() != 2) refuse_setting(splitter["pretokenizers"], "a Split and a ByteLevel");
  if (steps[0].type() != "Split") refuse_setting(steps[0], "Split");
  if (steps[1].type() != "ByteLevel") refuse_setting(steps[1], "ByteLevel");
  require_setting(steps[0]["behavior"], "Isolated");
  require_setting(steps[0]["invert"], false);
  require_setting(steps[1]["add_prefix_space"], false);
  if (steps[1]["use_regex"].flag_or(true)) refuse_setting(steps[1]["use_regex"], "false");
  const JsonField expression = steps[0]["pattern"]["Regex"];
  const auto rule = most_digits.find(expression.text());
  if (rule == most_digits.end()) refuse_setting(expression, "that of Llama 3 or Qwen2");
  return {rule->second};
}

void read_pre_tokenizer(const JsonField& splitter, BytePairFile& file) {
  if (splitter.is_null()) return;
  const std::string type = splitter.type();
  if (type == "Metaspace") {
    file.metaspace = read_metaspace(splitter);
  } else if (type == "ByteLevel") {  // of GPT-2
    require_setting(splitter["use_regex"], true);
    if (splitter["add_prefix_space"].flag_or(true))
      refuse_setting(splitter["add_prefix_space"], "false");
    file.byte_words = WordRule{};
  } else if (type == "Sequence") {
    file.byte_words = read_words(splitter);
  } else {
    refuse_setting(splitter, "Metaspace, ByteLevel, or a Sequence of Split and ByteLevel");
  }
}

DecoderRule read_decoder(const JsonField& decoder) {
  const std::vector<JsonField> steps = steps_of(decoder, "decoders");
  if (steps.size() == 1 && steps[0].type() == "ByteLevel") return {.is_byte_level = true};
  constexpr std::array names = {"Replace", "ByteFallback", "Fuse", "Strip"};
  if (steps.size() < 3 || steps.size() > names.size())
    refuse_setting(decoder, "ByteLevel, or a Sequence of Replace, ByteFallback, Fuse and Strip");
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type() != names[i]) refuse_setting(steps[i], names[i]);
  }
  DecoderRule rule{.replacement = read_replacement(steps[0])};
  if (steps.size() < names.size()) return rule;
  const JsonField& strip = steps.back();
  if (strip["content"].text() != " ") refuse_setting(strip["content"], "\" \"");
  require_setting(strip["stop"], 0);
  rule.stripped_spaces = static_cast<size_t>(strip["start"].integer(0, most_token));
  return rule;
}

void read_added_tokens(const JsonField& tokens, BytePairFile& file) {
  if (tokens.is_null()) return;
  for (const JsonField& token : tokens.items()) {
    for (const std::string name : {"single_word", "lstrip", "rstrip"})
      require_setting(token[name], false);
    const std::string text = token["content"].text();
    if (text.empty()) refuse_setting(token["content"], "a text that is not empty");
    const bool is_special = token["special"].flag_or(false);
    const AddedToken added{token["id"].integer(0, most_token),
                           token["normalized"].flag_or(!is_special), is_special};
    const auto known = file.vocabulary.find(text);
    if (known != file.vocabulary.end() && known->second != added.id)
      refuse_setting(token["id"], std::to_string(known->second) + ", as in the vocabulary");
    file.added[text] = added;
  }
}

// The special tokens that a post-processor puts before a text. Those after it are for training.
std::vector<int64_t> read_begin_of_text(const JsonField& processor) {
  std::vector<int64_t> tokens;
  for (const JsonField& part : steps_of(processor, "processors")) {
    if (part.type() == "ByteLevel") continue;  // it changes offsets alone
    if (part.type() != "TemplateProcessing")
      refuse_setting(part, "TemplateProcessing or ByteLevel");
    for (const JsonField& piece : part["single"].items()) {
      if (!piece.has("SpecialToken")) break;
      const std::string name = piece["SpecialToken"]["id"].text();
      for (const JsonField& token : part["special_tokens"][name]["ids"].items())
        tokens.push_back(token.integer(0, most_token));
    }
  }
  return tokens;
}

}  // namespace

BytePairFile read_byte_pair_file(std::string_view tokenizer_json) {
  const Json parsed = guarded_parse(tokenizer_json);
  const JsonField fields(parsed);
  BytePairFile file;
  read_byte_pair_model(fields["model"], file);
  file.normalizer = read_normalizer(fields["normalizer"]);
  read_pre_tokenizer(fields["pre_tokenizer"], file);
  file.decoder = read_decoder(fields["decoder"]);
  read_added_tokens(fields["added_tokens"], file);
  file.begin_of_text = read_begin_of_text(fields["post_processor"]);
  return file;
}

TokenIds read_gpt2_vocabulary(std::string_view vocab_json) {
  const Json parsed = guarded_parse(vocab_json);
  return read_ids(JsonField(parsed));
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

BytePairFile gpt2_file(TokenIds vocabulary, std::vector<Merge> merges) {
  const std::string end_of_text = "<|endoftext|>";
  BytePairFile file;
  if (const auto token = vocabulary.find(end_of_text); token != vocabulary.end())
    file.added[end_of_text] = {.id = token->second, .is_special = true};
  file.vocabulary = std::move(vocabulary);
  file.merges = std::move(merges);
  file.byte_words = WordRule{};
  file.decoder.is_byte_level = true;
  return file;
}

}  // namespace mithril
