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

size_t length_of_contraction(std::string_view text) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(each)) return each.size();
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
  if (const size_t length = length_of_contraction(text)) return length;
  const size_t space = text.size() > 1 && text[0] == ' ' ? 1 : 0;
  const Kind kind = kind_of(first_of(text.substr(space)).code);
  if (kind != Kind::space) return space + run_of(text.substr(space), kind);
  return length_of_spaces(text);
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

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    words.push_back(text.substr(0, length_of_word(text)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

Tokenizer::Tokenizer(const std::string& folder) {
  const nlohmann::json vocabulary = nlohmann::json::parse(opened(folder + "/vocab.json"));
  for (const auto& [printed, token] : vocabulary.items()) {
    const auto at = token.get<size_t>();
    if (at >= texts_.size()) texts_.resize(at + 1);
    if (printed == "<|endoftext|>") {
      end_of_text_ = token.get<int64_t>();
      continue;
    }
    texts_[at] = bytes_of(printed);
    tokens_[texts_[at]] = token.get<int64_t>();
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

void Tokenizer::encode_word(std::string_view word, std::vector<int64_t>& tokens) const {
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
    if (token == tokens_.end()) throw std::runtime_error("vocab.json lacks a byte of the text");
    tokens.push_back(token->second);
  }
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> tokens;
  for (const std::string_view word : split_words(text)) encode_word(word, tokens);
  return tokens;
}

std::string Tokenizer::decode(int64_t token) const {
  const auto at = static_cast<size_t>(token);
  return at < texts_.size() ? texts_[at] : std::string();
}
