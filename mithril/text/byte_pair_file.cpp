#include "mithril/text/byte_pair_file.hpp"

#include <array>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "examples/chat/json_field.hpp"

namespace {

constexpr int64_t most_token = (int64_t{1} << 24) - 1;
constexpr std::string_view end_of_text = "<|endoftext|>";

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

// The parts of a Sequence, or the only part; none of null. Sequences are not nested.
std::vector<JsonField> parts_of(const JsonField& field, const std::string& name) {
  if (field.is_null()) return {};
  if (field.type() == "Sequence") return field[name].items();
  return {field};
}

Vocabulary read_vocabulary(const JsonField& tokens) {
  Vocabulary vocabulary;
  for (const auto& [text, token] : tokens.members())
    vocabulary.emplace(text, token.integer(0, most_token));
  return vocabulary;
}

Merge merge_of(const Vocabulary& vocabulary, const std::string& left, const std::string& right) {
  const auto token = [&](const std::string& text) {
    const auto found = vocabulary.find(text);
    if (found == vocabulary.end())
      throw std::runtime_error("the merge of \"" + left + "\" and \"" + right +
                               "\" needs the token \"" + text + "\", which the vocabulary lacks");
    return found->second;
  };
  return {token(left), token(right), token(left + right)};
}

// Of "a b".
Merge merge_of_line(const Vocabulary& vocabulary, const std::string& line) {
  const size_t space = line.find(' ');
  if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
    throw std::runtime_error("the merge \"" + line + "\" is not two tokens with a space between");
  return merge_of(vocabulary, line.substr(0, space), line.substr(space + 1));
}

std::vector<Merge> read_merges(const JsonField& fields, const Vocabulary& vocabulary) {
  std::vector<Merge> merges;
  for (const JsonField& merge : fields.items()) {
    if (merge.is_text()) {
      merges.push_back(merge_of_line(vocabulary, merge.text()));
      continue;
    }
    const std::vector<JsonField> pair = merge.items();
    if (pair.size() != 2) merge.refuse("two tokens");
    merges.push_back(merge_of(vocabulary, pair[0].text(), pair[1].text()));
  }
  return merges;
}

void read_model(const JsonField& model, TokenizerFile& file) {
  // The oldest files do not name the type; merges are those of BPE.
  const bool is_old = !model.has("type") && model.has("merges");
  if (!is_old && (!model["type"].is_text() || model.type() != "BPE"))
    model["type"].refuse("\"BPE\": the tokenizers of GPT-2, Llama, Mistral and Qwen2");
  static const std::set<std::string> known = {
      "type", "vocab", "merges", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges",
      // These have one value that is supported.
      "dropout", "continuing_subword_prefix", "end_of_word_suffix"};
  for (const auto& [name, value] : model.members()) {
    if (!known.contains(name)) value.refuse("no such field");
  }
  model["dropout"].require(0.0);
  model["continuing_subword_prefix"].require("");
  model["end_of_word_suffix"].require("");
  file.options = {.unknown = model["unk_token"].text_or(""),
                  .fuse_unknown = model["fuse_unk"].flag_or(false),
                  .byte_fallback = model["byte_fallback"].flag_or(false),
                  .ignore_merges = model["ignore_merges"].flag_or(false)};
  file.vocabulary = read_vocabulary(model["vocab"]);
  file.merges = read_merges(model["merges"], file.vocabulary);
}

Replacement read_replacement(const JsonField& step) {
  Replacement replacement{step["pattern"]["String"].text(), step["content"].text()};
  if (replacement.from.empty()) step["pattern"]["String"].refuse("a text that is not empty");
  return replacement;
}

std::vector<Replacement> read_normalizer(const JsonField& normalizer) {
  std::vector<Replacement> steps;
  for (const JsonField& step : parts_of(normalizer, "normalizers")) {
    const std::string type = step.type();
    if (type == "Prepend") {
      steps.push_back({"", step["prepend"].text()});
    } else if (type == "Replace") {
      steps.push_back(read_replacement(step));
    } else if (type != "NFC") {  // callers pass composed text
      step.refuse("Prepend, Replace or NFC");
    }
  }
  return steps;
}

Metaspace read_metaspace(const JsonField& splitter) {
  Metaspace metaspace{.mark = splitter["replacement"].text(),
                      .is_split = splitter["split"].flag_or(true)};
  if (metaspace.mark.empty()) splitter["replacement"].refuse("a character");
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
    scheme.refuse("first, always or never");
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
  const std::vector<JsonField> steps = parts_of(splitter, "pretokenizers");
  if (steps.size() != 2) splitter["pretokenizers"].refuse("a Split and a ByteLevel");
  if (steps[0].type() != "Split") steps[0].refuse("Split");
  if (steps[1].type() != "ByteLevel") steps[1].refuse("ByteLevel");
  steps[0]["behavior"].require("Isolated");
  steps[0]["invert"].require(false);
  steps[1]["add_prefix_space"].require(false);
  if (steps[1]["use_regex"].flag_or(true)) steps[1]["use_regex"].refuse("false");
  const JsonField expression = steps[0]["pattern"]["Regex"];
  const auto rule = most_digits.find(expression.text());
  if (rule == most_digits.end()) expression.refuse("that of Llama 3 or Qwen2");
  return {rule->second};
}

void read_pre_tokenizer(const JsonField& splitter, TokenizerFile& file) {
  if (splitter.is_null()) return;
  const std::string type = splitter.type();
  if (type == "Metaspace") {
    file.metaspace = read_metaspace(splitter);
  } else if (type == "ByteLevel") {  // of GPT-2
    splitter["use_regex"].require(true);
    if (splitter["add_prefix_space"].flag_or(true)) splitter["add_prefix_space"].refuse("false");
    file.byte_words = WordRule{};
  } else if (type == "Sequence") {
    file.byte_words = read_words(splitter);
  } else {
    splitter.refuse("Metaspace, ByteLevel, or a Sequence of Split and ByteLevel");
  }
}

DecoderRule read_decoder(const JsonField& decoder) {
  const std::vector<JsonField> steps = parts_of(decoder, "decoders");
  if (steps.size() == 1 && steps[0].type() == "ByteLevel") return {.is_byte_level = true};
  constexpr std::array names = {"Replace", "ByteFallback", "Fuse", "Strip"};
  if (steps.size() < 3 || steps.size() > names.size())
    decoder.refuse("ByteLevel, or a Sequence of Replace, ByteFallback, Fuse and Strip");
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type() != names[i]) steps[i].refuse(names[i]);
  }
  DecoderRule rule{.replacement = read_replacement(steps[0])};
  if (steps.size() < names.size()) return rule;
  const JsonField& strip = steps.back();
  if (strip["content"].text() != " ") strip["content"].refuse("\" \"");
  strip["stop"].require(0);
  rule.stripped_spaces = static_cast<size_t>(strip["start"].integer(0, most_token));
  return rule;
}

void read_added(const JsonField& tokens, TokenizerFile& file) {
  if (tokens.is_null()) return;
  for (const JsonField& token : tokens.items()) {
    for (const std::string name : {"single_word", "lstrip", "rstrip"}) token[name].require(false);
    const std::string text = token["content"].text();
    if (text.empty()) token["content"].refuse("a text that is not empty");
    const bool is_special = token["special"].flag_or(false);
    const AddedToken added{token["id"].integer(0, most_token),
                           token["normalized"].flag_or(!is_special), is_special};
    const auto known = file.vocabulary.find(text);
    if (known != file.vocabulary.end() && known->second != added.id)
      token["id"].refuse(std::to_string(known->second) + ", as in the vocabulary");
    file.added[text] = added;
  }
}

// The special tokens that a post-processor puts before a text. Those after it are for training.
std::vector<int64_t> read_begin_of_text(const JsonField& processor) {
  std::vector<int64_t> tokens;
  for (const JsonField& part : parts_of(processor, "processors")) {
    if (part.type() == "ByteLevel") continue;  // it changes offsets alone
    if (part.type() != "TemplateProcessing") part.refuse("TemplateProcessing or ByteLevel");
    for (const JsonField& piece : part["single"].items()) {
      if (!piece.has("SpecialToken")) break;
      const std::string name = piece["SpecialToken"]["id"].text();
      for (const JsonField& token : part["special_tokens"][name]["ids"].items())
        tokens.push_back(token.integer(0, most_token));
    }
  }
  return tokens;
}

TokenizerFile read_json(std::istream& stream) {
  const nlohmann::json parsed = nlohmann::json::parse(stream);
  const JsonField fields(parsed);
  TokenizerFile file;
  read_model(fields["model"], file);
  file.normalizer = read_normalizer(fields["normalizer"]);
  read_pre_tokenizer(fields["pre_tokenizer"], file);
  file.decoder = read_decoder(fields["decoder"]);
  read_added(fields["added_tokens"], file);
  file.begin_of_text = read_begin_of_text(fields["post_processor"]);
  return file;
}

Vocabulary read_gpt2_vocabulary(std::istream& stream) {
  const nlohmann::json parsed = nlohmann::json::parse(stream);
  return read_vocabulary(JsonField(parsed));
}

std::vector<Merge> read_gpt2_merges(std::istream& stream, const Vocabulary& vocabulary) {
  std::vector<Merge> merges;
  std::string line;
  while (std::getline(stream, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && !line.starts_with("#version"))
      merges.push_back(merge_of_line(vocabulary, line));
  }
  return merges;
}

// What `read` makes of a file. Its errors name the file.
template <typename Read>
auto read_file(const std::string& path, const Read& read) {
  std::ifstream stream = opened(path);
  try {
    return read(stream);
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace

TokenizerFile read_tokenizer(const std::string& folder) {
  if (std::ifstream(folder + "/tokenizer.json"))
    return read_file(folder + "/tokenizer.json", read_json);
  TokenizerFile file;
  file.vocabulary = read_file(folder + "/vocab.json", read_gpt2_vocabulary);
  file.merges = read_file(folder + "/merges.txt", [&](std::istream& stream) {
    return read_gpt2_merges(stream, file.vocabulary);
  });
  file.byte_words = WordRule{};
  file.decoder.is_byte_level = true;
  const std::string end(end_of_text);
  if (const auto token = file.vocabulary.find(end); token != file.vocabulary.end())
    file.added[end] = {.id = token->second, .is_special = true};
  return file;
}
