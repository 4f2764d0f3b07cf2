#include "mithril/text/split_words.hpp"

#include <algorithm>
#include <array>

#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

enum class Kind { space, letter, digit, other };

struct Block {
  char32_t first, last;
  Kind kind;
};

// Characters outside ASCII that are not letters.
constexpr std::array character_blocks = {
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

Kind character_kind(char32_t code) {
  if (code < 0x80) {
    if (code == ' ' || (code >= '\t' && code <= '\r')) return Kind::space;
    if (code >= '0' && code <= '9') return Kind::digit;
    const char32_t lower = code | 0x20;
    return lower >= 'a' && lower <= 'z' ? Kind::letter : Kind::other;
  }
  const auto block =
      std::find_if(character_blocks.begin(), character_blocks.end(),
                   [&](const Block& each) { return code >= each.first && code <= each.last; });
  return block == character_blocks.end() ? Kind::letter : block->kind;
}

// The bytes at the beginning of the text whose characters are of this kind.
size_t length_of_run(std::string_view text, Kind kind) {
  size_t end = 0;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (character_kind(next.code) != kind) break;
    end += next.bytes;
  }
  return end;
}

size_t length_of_contraction(std::string_view text, bool any_case) {
  for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    const std::string_view begin = text.substr(0, contraction.size());
    const bool is_same =
        std::equal(begin.begin(), begin.end(), contraction.begin(), contraction.end(),
                   [&](char a, char b) { return a == b || (any_case && (a | 0x20) == b); });
    if (is_same) return contraction.size();
  }
  return 0;
}

// Spaces belong to the word before which they are: one of them, if it is ' '.
size_t length_of_spaces(std::string_view text) {
  const size_t spaces = length_of_run(text, Kind::space);
  if (spaces == text.size()) return spaces;
  size_t last = 0;  // where the last of them begins
  for (size_t at = 0; at < spaces; at += first_character(text.substr(at)).bytes) last = at;
  return last == 0 ? spaces : last;
}

size_t length_of_word(std::string_view text) {
  if (const size_t length = length_of_contraction(text, false)) return length;
  const size_t space = text.size() > 1 && text[0] == ' ' ? 1 : 0;
  const Kind kind = character_kind(first_character(text.substr(space)).code);
  if (kind != Kind::space) return space + length_of_run(text.substr(space), kind);
  return length_of_spaces(text);
}

bool is_line_end(char byte) { return byte == '\n' || byte == '\r'; }

// Letters, perhaps with one character before them that is neither a digit nor a newline.
size_t length_of_letters(std::string_view text) {
  const Character first = first_character(text);
  const Kind kind = character_kind(first.code);
  if (kind == Kind::letter) return length_of_run(text, kind);
  if (kind == Kind::digit || is_line_end(text[0])) return 0;
  const size_t letters = length_of_run(text.substr(first.bytes), Kind::letter);
  return letters == 0 ? 0 : first.bytes + letters;
}

size_t length_of_digits(std::string_view text, size_t most) {
  size_t end = 0;
  for (size_t i = 0; i < most && end < text.size(); ++i) {
    const Character next = first_character(text.substr(end));
    if (character_kind(next.code) != Kind::digit) break;
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
  if (const size_t marks = length_of_run(text.substr(space), Kind::other)) {
    size_t end = space + marks;
    while (end < text.size() && is_line_end(text[end])) ++end;
    return end;
  }
  const std::string_view spaces = text.substr(0, length_of_run(text, Kind::space));
  const size_t newline = spaces.find_last_of("\r\n");
  return newline == std::string_view::npos ? length_of_spaces(text) : newline + 1;
}

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

std::vector<std::string_view> split_before(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = text.find(mark, text.starts_with(mark) ? mark.size() : 0);
    words.push_back(text.substr(0, end));
    text.remove_prefix(words.back().size());
  }
  return words;
}

}  // namespace mithril
