#include "tokenizer.hpp"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "utf8.hpp"

namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

// Vocabularies write each byte as a character that can be printed.
std::array<char32_t, 256> printed_bytes() {
  std::array<char32_t, 256> printed{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
    printed[byte] = is_printable ? byte : next++;
  }
  return printed;
}

std::string bytes_of(std::string_view printed) {
  static const std::map<char32_t, char> bytes = [] {
    std::map<char32_t, char> result;
    const auto characters = printed_bytes();
    for (size_t byte = 0; byte < 256; ++byte) result[characters[byte]] = static_cast<char>(byte);
    return result;
  }();
  std::string result;
  while (!printed.empty()) {
    const Character next = first_of(printed);
    const auto byte = bytes.find(next.code);
    result += byte == bytes.end() ? std::string(printed.substr(0, next.bytes))
                                  : std::string(1, byte->second);
    printed.remove_prefix(next.bytes);
  }
  return result;
}

// The rule of a pre-tokenizer; none if it is not known.
std::optional<WordRule> word_rule(const nlohmann::json& splitter) {
  // Of Llama 3, and of Qwen2.
  static const std::map<std::string, size_t> most_digits = {
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       3},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       1}};
  if (!splitter.is_object()) return std::nullopt;
  const std::string type = splitter.value("type", "");
  if (type == "ByteLevel") {
    const bool is_gpt2 =
        splitter.value("use_regex", true) && !splitter.value("add_prefix_space", false);
    return is_gpt2 ? std::optional(WordRule{}) : std::nullopt;
  }
  const nlohmann::json steps = splitter.value("pretokenizers", nlohmann::json::array());
  if (type != "Sequence" || steps.size() != 2) return std::nullopt;
  const nlohmann::json pattern = steps[0].value("pattern", nlohmann::json::object());
  const auto rule = most_digits.find(pattern.value("Regex", ""));
  if (rule == most_digits.end() || steps[1].value("type", "") != "ByteLevel") return std::nullopt;
  return WordRule{rule->second};
}

// The special tokens that a post-processor puts before a text.
std::vector<std::string> begin_of_template(const nlohmann::json& processor) {
  std::vector<std::string> names;
  if (!processor.is_object()) return names;
  for (const nlohmann::json& each :
       processor.value("processors", nlohmann::json::array({processor}))) {
    for (const nlohmann::json& piece : each.value("single", nlohmann::json::array())) {
      if (!piece.contains("SpecialToken")) break;
      names.push_back(piece.at("SpecialToken").at("id").get<std::string>());
    }
  }
  return names;
}

constexpr std::string_view end_of_text = "<|endoftext|>";

}  // namespace

Tokenizer::Tokenizer(const std::string& folder) {
  if (std::ifstream file(folder + "/tokenizer.json"); file) {
    read_json(nlohmann::json::parse(file));
    return;
  }
  const nlohmann::json vocabulary = nlohmann::json::parse(opened(folder + "/vocab.json"));
  for (const auto& [printed, token] : vocabulary.items()) {
    if (printed == end_of_text) {
      specials_[printed] = token.get<int64_t>();
    } else {
      add_token(printed, token.get<int64_t>());
    }
  }
  std::ifstream merges = opened(folder + "/merges.txt");
  std::string line;
  while (std::getline(merges, line)) {
    const size_t space = line.find(' ');
    if (line.starts_with("#version") || space == std::string::npos) continue;
    ranks_.emplace(std::pair(bytes_of(line.substr(0, space)), bytes_of(line.substr(space + 1))),
                   ranks_.size());
  }
}

void Tokenizer::read_json(const nlohmann::json& file) {
  const nlohmann::json& model = file.at("model");
  const std::optional<WordRule> rule = word_rule(file.value("pre_tokenizer", nlohmann::json()));
  if (model.value("type", "") != "BPE" || !rule)
    throw std::runtime_error("tokenizer.json is not that of GPT-2, Llama 3 or Qwen2");
  rule_ = *rule;
  whole_words_first_ = model.value("ignore_merges", false);
  for (const nlohmann::json& each : file.value("added_tokens", nlohmann::json::array()))
    specials_[each.at("content").get<std::string>()] = each.at("id").get<int64_t>();
  for (const auto& [printed, token] : model.at("vocab").items()) {
    if (!specials_.contains(printed)) add_token(printed, token.get<int64_t>());
  }
  for (const nlohmann::json& merge : model.at("merges")) {
    // "a b", or ["a", "b"].
    const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
    const size_t space = text.find(' ');
    const auto part = [&](size_t i) {
      if (!merge.is_string()) return merge.at(i).get<std::string>();
      return i == 0 ? text.substr(0, space) : text.substr(space + 1);
    };
    ranks_.emplace(std::pair(bytes_of(part(0)), bytes_of(part(1))), ranks_.size());
  }
  for (const std::string& name :
       begin_of_template(file.value("post_processor", nlohmann::json()))) {
    if (const std::optional<int64_t> token = special(name)) begin_of_text_.push_back(*token);
  }
}

void Tokenizer::add_token(const std::string& printed, int64_t token) {
  constexpr int64_t most = int64_t{1} << 24;  // a token is an index of texts_
  if (token < 0 || token >= most)
    throw std::runtime_error("the vocabulary has a token " + std::to_string(token));
  const auto at = static_cast<size_t>(token);
  if (at >= texts_.size()) texts_.resize(at + 1);
  texts_[at] = bytes_of(printed);
  tokens_[texts_[at]] = token;
}

std::optional<int64_t> Tokenizer::special(const std::string& name) const {
  const auto found = specials_.find(name);
  return found == specials_.end() ? std::nullopt : std::optional(found->second);
}

void Tokenizer::encode_word(std::string_view word, std::vector<int64_t>& tokens) const {
  if (whole_words_first_) {
    if (const auto whole = tokens_.find(std::string(word)); whole != tokens_.end())
      return tokens.push_back(whole->second);
  }
  std::vector<std::string> parts;
  for (const char byte : word) parts.emplace_back(1, byte);
  while (true) {
    std::optional<size_t> best;
    size_t least = ranks_.size();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rank = ranks_.find({parts[i], parts[i + 1]});
      if (rank == ranks_.end() || rank->second >= least) continue;
      least = rank->second;
      best = i;
    }
    if (!best) break;
    parts[*best] += parts[*best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
  for (const std::string& part : parts) {
    const auto token = tokens_.find(part);
    if (token == tokens_.end()) throw std::runtime_error("the vocabulary lacks a byte of the text");
    tokens.push_back(token->second);
  }
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> tokens;
  for (const std::string_view word : split_words(text, rule_)) encode_word(word, tokens);
  return tokens;
}

std::string Tokenizer::decode(int64_t token) const {
  const auto at = static_cast<size_t>(token);
  return at < texts_.size() ? texts_[at] : std::string();
}
