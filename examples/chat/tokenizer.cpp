#include "tokenizer.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

struct Character {
  char32_t code = 0;
  size_t bytes = 1;
};

// The character that begins the text. A byte that is not UTF-8 is a character of its own.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || text.size() < bytes) return {lead, 1};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {lead, 1};
    code = code << 6 | (byte & 0x3f);
  }
  return {code, bytes};
}

enum class Kind { space, letter, digit, other };

struct Block {
  char32_t first, last;
  Kind kind;
};

// Characters outside ASCII that are not letters.
constexpr std::array blocks = {
    Block{0x80, 0x84, Kind::other},     Block{0x85, 0x85, Kind::space},
    Block{0x86, 0x9f, Kind::other},     Block{0xa0, 0xa0, Kind::space},
    Block{0xa1, 0xa9, Kind::other},     Block{0xab, 0xb1, Kind::other},
    Block{0xb2, 0xb3, Kind::digit},     Block{0xb4, 0xb4, Kind::other},
    Block{0xb6, 0xb8, Kind::other},     Block{0xb9, 0xb9, Kind::digit},
    Block{0xbb, 0xbb, Kind::other},     Block{0xbc, 0xbe, Kind::digit},
    Block{0xbf, 0xbf, Kind::other},     Block{0xd7, 0xd7, Kind::other},
    Block{0xf7, 0xf7, Kind::other},     Block{0x300, 0x36f, Kind::other},
    Block{0x660, 0x669, Kind::digit},   Block{0x966, 0x96f, Kind::digit},
    Block{0x1680, 0x1680, Kind::space}, Block{0x2000, 0x200a, Kind::space},
    Block{0x200b, 0x2027, Kind::other}, Block{0x2028, 0x2029, Kind::space},
    Block{0x202a, 0x202e, Kind::other}, Block{0x202f, 0x202f, Kind::space},
    Block{0x2030, 0x205e, Kind::other}, Block{0x205f, 0x205f, Kind::space},
    Block{0x2060, 0x206f, Kind::other}, Block{0x2070, 0x2070, Kind::digit},
    Block{0x2074, 0x2079, Kind::digit}, Block{0x207a, 0x207e, Kind::other},
    Block{0x2080, 0x2089, Kind::digit}, Block{0x208a, 0x208e, Kind::other},
    Block{0x20a0, 0x2101, Kind::other}, Block{0x2150, 0x2182, Kind::digit},
    Block{0x2190, 0x245f, Kind::other}, Block{0x2460, 0x249b, Kind::digit},
    Block{0x2500, 0x2bff, Kind::other}, Block{0x3000, 0x3000, Kind::space},
    Block{0x3001, 0x3004, Kind::other}, Block{0x3008, 0x3020, Kind::other},
    Block{0xfe00, 0xfe0f, Kind::other}, Block{0xff01, 0xff0f, Kind::other},
    Block{0xff10, 0xff19, Kind::digit}, Block{0xff1a, 0xff20, Kind::other},
    Block{0xfffd, 0xfffd, Kind::other}, Block{0x1f000, 0x1faff, Kind::other},
};

Kind kind_of(char32_t code) {
  if (code < 0x80) {
    if (code == ' ' || (code >= '\t' && code <= '\r')) return Kind::space;
    if (code >= '0' && code <= '9') return Kind::digit;
    const char32_t lower = code | 0x20;
    return lower >= 'a' && lower <= 'z' ? Kind::letter : Kind::other;
  }
  const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const Block& each) {
    return code >= each.first && code <= each.last;
  });
  return block == blocks.end() ? Kind::letter : block->kind;
}

// The bytes at the beginning of the text whose characters are of this kind.
size_t run_of(std::string_view text, Kind kind) {
  size_t end = 0;
  while (end < text.size()) {
    const Character next = first_of(text.substr(end));
    if (kind_of(next.code) != kind) break;
    end += next.bytes;
  }
  return end;
}

size_t length_of_contraction(std::string_view text, bool any_case) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    const std::string_view begin = text.substr(0, each.size());
    const bool is_same =
        std::equal(begin.begin(), begin.end(), each.begin(), each.end(),
                   [&](char a, char b) { return a == b || (any_case && (a | 0x20) == b); });
    if (is_same) return each.size();
  }
  return 0;
}

// Spaces belong to the word before which they are: one of them, if it is ' '.
size_t length_of_spaces(std::string_view text) {
  const size_t spaces = run_of(text, Kind::space);
  if (spaces == text.size()) return spaces;
  size_t last = 0;  // where the last of them begins
  for (size_t at = 0; at < spaces; at += first_of(text.substr(at)).bytes) last = at;
  return last == 0 ? spaces : last;
}

size_t length_of_word(std::string_view text) {
  if (const size_t length = length_of_contraction(text, false)) return length;
  const size_t space = text.size() > 1 && text[0] == ' ' ? 1 : 0;
  const Kind kind = kind_of(first_of(text.substr(space)).code);
  if (kind != Kind::space) return space + run_of(text.substr(space), kind);
  return length_of_spaces(text);
}

bool is_newline(char byte) { return byte == '\n' || byte == '\r'; }

// Letters, perhaps with one character before them that is neither a digit nor a newline.
size_t length_of_letters(std::string_view text) {
  const Character first = first_of(text);
  const Kind kind = kind_of(first.code);
  if (kind == Kind::letter) return run_of(text, kind);
  if (kind == Kind::digit || is_newline(text[0])) return 0;
  const size_t letters = run_of(text.substr(first.bytes), Kind::letter);
  return letters == 0 ? 0 : first.bytes + letters;
}

size_t length_of_digits(std::string_view text, size_t most) {
  size_t end = 0;
  for (size_t i = 0; i < most && end < text.size(); ++i) {
    const Character next = first_of(text.substr(end));
    if (kind_of(next.code) != Kind::digit) break;
    end += next.bytes;
  }
  return end;
}

// The rule of Llama 3 and Qwen2. Newlines belong to the punctuation or the spaces before them.
size_t length_of_word(std::string_view text, size_t most_digits) {
  if (const size_t length = length_of_contraction(text, true)) return length;
  if (const size_t length = length_of_letters(text)) return length;
  if (const size_t length = length_of_digits(text, most_digits)) return length;
  const size_t space = text[0] == ' ' ? 1 : 0;
  if (const size_t marks = run_of(text.substr(space), Kind::other)) {
    size_t end = space + marks;
    while (end < text.size() && is_newline(text[end])) ++end;
    return end;
  }
  const std::string_view spaces = text.substr(0, run_of(text, Kind::space));
  const size_t newline = spaces.find_last_of("\r\n");
  return newline == std::string_view::npos ? length_of_spaces(text) : newline + 1;
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

std::vector<std::string_view> split_words(std::string_view text, WordRule rule) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t length =
        rule.most_digits ? length_of_word(text, rule.most_digits) : length_of_word(text);
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

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
