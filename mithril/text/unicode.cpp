#include "mithril/text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

constexpr std::string_view category_names =
    "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co";

std::string_view category_of(char32_t code) {
  const auto number = static_cast<size_t>(utf8proc_category(static_cast<utf8proc_int32_t>(code)));
  return category_names.substr(3 * number, 2);
}

struct NewRange {
  char32_t first, last;
};

// Marks, and characters with a normal form, that Unicode 9 lacks.
constexpr NewRange new_characters[] = {
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},
    {0xAFA, 0xAFF},     {0xB55, 0xB55},     {0xC04, 0xC04},     {0xC3C, 0xC3C},
    {0xCF3, 0xCF3},     {0xD00, 0xD00},     {0xD3B, 0xD3C},     {0xD81, 0xD81},
    {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x1715, 0x1715},   {0x180F, 0x180F},
    {0x1ABF, 0x1ACE},   {0x1CF7, 0x1CF7},   {0x1DF6, 0x1DFA},   {0x32FF, 0x32FF},
    {0xA7F2, 0xA7F4},   {0xA82C, 0xA82C},   {0xA8FF, 0xA8FF},   {0xAB69, 0xAB69},
    {0x10781, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}, {0x10D24, 0x10D27},
    {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
    {0x11070, 0x11070}, {0x11073, 0x11074}, {0x110C2, 0x110C2}, {0x11145, 0x11146},
    {0x111C9, 0x111C9}, {0x111CE, 0x111CF}, {0x11241, 0x11241}, {0x1133B, 0x1133B},
    {0x1145E, 0x1145E}, {0x1182C, 0x1183A}, {0x11930, 0x11935}, {0x11937, 0x11938},
    {0x1193B, 0x1193E}, {0x11940, 0x11940}, {0x11942, 0x11943}, {0x119D1, 0x119D7},
    {0x119DA, 0x119E0}, {0x119E4, 0x119E4}, {0x11A01, 0x11A0A}, {0x11A33, 0x11A39},
    {0x11A3B, 0x11A3E}, {0x11A47, 0x11A47}, {0x11A51, 0x11A5B}, {0x11A8A, 0x11A99},
    {0x11D31, 0x11D36}, {0x11D3A, 0x11D3A}, {0x11D3C, 0x11D3D}, {0x11D3F, 0x11D45},
    {0x11D47, 0x11D47}, {0x11D8A, 0x11D8E}, {0x11D90, 0x11D91}, {0x11D93, 0x11D97},
    {0x11EF3, 0x11EF6}, {0x11F00, 0x11F01}, {0x11F03, 0x11F03}, {0x11F34, 0x11F3A},
    {0x11F3E, 0x11F42}, {0x13440, 0x13440}, {0x13447, 0x13455}, {0x16F4F, 0x16F4F},
    {0x16F7F, 0x16F87}, {0x16FE4, 0x16FE4}, {0x16FF0, 0x16FF1}, {0x1CF00, 0x1CF2D},
    {0x1CF30, 0x1CF46}, {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136},
    {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1F16C, 0x1F16C},
    {0x1FBF0, 0x1FBF9}};

bool is_new(char32_t code) {
  const auto* range =
      std::lower_bound(std::begin(new_characters), std::end(new_characters), code,
                       [](const NewRange& each, char32_t value) { return each.last < value; });
  return range != std::end(new_characters) && range->first <= code;
}

struct NewLetters {
  char32_t first, last, small;  // the small form of the first
};

// Capitals of Unicode 16 and 17, which older utf8proc does not know.
constexpr NewLetters new_letters[] = {{0x1C89, 0x1C89, 0x1C8A},    {0xA7CB, 0xA7CB, 0x264},
                                      {0xA7CC, 0xA7CC, 0xA7CD},    {0xA7CE, 0xA7CE, 0xA7CF},
                                      {0xA7D2, 0xA7D2, 0xA7D3},    {0xA7D4, 0xA7D4, 0xA7D5},
                                      {0xA7DA, 0xA7DA, 0xA7DB},    {0xA7DC, 0xA7DC, 0x19B},
                                      {0x10D50, 0x10D65, 0x10D70}, {0x16EA0, 0x16EB8, 0x16EBB}};

char32_t small_letter(char32_t code) {
  for (const NewLetters& each : new_letters) {
    if (code >= each.first && code <= each.last) return each.small + (code - each.first);
  }
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}

// Letters that are not L.
bool is_circled_letter(char32_t code) {
  return (code >= 0x24b6 && code <= 0x24e9) || (code >= 0x1f130 && code <= 0x1f149) ||
         (code >= 0x1f150 && code <= 0x1f169) || (code >= 0x1f170 && code <= 0x1f189);
}

using CodePoints = std::vector<utf8proc_int32_t>;

void append_decomposed(char32_t code, utf8proc_option_t options, CodePoints& codes) {
  std::array<utf8proc_int32_t, 32> made{};  // U+FDFA has the most, 18
  constexpr auto most = static_cast<utf8proc_ssize_t>(made.size());
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), made.data(), most,
                                             options, &boundary);
  codes.insert(codes.end(), made.begin(),
               made.begin() + std::clamp<utf8proc_ssize_t>(count, 0, most));
}

auto combining_class(utf8proc_int32_t code) { return utf8proc_get_property(code)->combining_class; }

// utf8proc_map does the same in a time that grows with the square of the number of marks.
void order_marks(CodePoints& codes) {
  for (auto at = codes.begin(); at != codes.end();) {
    const auto end =
        std::find_if(at, codes.end(), [](auto code) { return combining_class(code) == 0; });
    if (end - at > 1) {
      std::stable_sort(at, end,
                       [](auto a, auto b) { return combining_class(a) < combining_class(b); });
    }
    at = end == codes.end() ? end : end + 1;
  }
}

std::string form_of_known(std::string_view text, NormalForm form) {
  const bool is_composed = form == NormalForm::nfc || form == NormalForm::nfkc;
  const bool is_compatible = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | (is_composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
      (is_compatible ? UTF8PROC_COMPAT : 0));
  CodePoints codes;
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes);
    append_decomposed(next.code, options, codes);
  }
  order_marks(codes);
  const auto size =
      utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()), options);
  codes.resize(static_cast<size_t>(size));
  return utf8_of(std::u32string(codes.begin(), codes.end()));
}

}  // namespace

std::string normal_form(std::string_view text, NormalForm form) {
  std::string made;
  size_t begin = 0;  // of the text after the last new character
  for (size_t at = 0; at < text.size();) {
    const Character next = first_character(text.substr(at));
    if (is_new(next.code)) {
      made += form_of_known(text.substr(begin, at - begin), form);
      made += text.substr(at, next.bytes);
      begin = at + next.bytes;
    }
    at += next.bytes;
  }
  return made + form_of_known(text.substr(begin), form);
}

std::string small_letters(std::string_view text) {
  std::u32string lower;
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes);
    if (next.code == 0x130) {  // the only letter whose small form is two characters
      lower += U"i\u0307";
      continue;
    }
    lower += small_letter(next.code);
  }
  return utf8_of(lower);
}

size_t first_cluster_bytes(std::string_view text) {
  Character before = first_character(text);
  size_t end = before.bytes;
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before.code),
                                         static_cast<utf8proc_int32_t>(next.code), &state))
      break;
    before = next;
    end += next.bytes;
  }
  return end;
}

bool has_category(char32_t code, std::string_view category) {
  return category_of(code).starts_with(category);
}

bool is_category(std::string_view name) {
  if (name.empty() || name.size() > 2) return false;
  for (size_t at = 0; at < category_names.size(); at += 3) {
    if (category_names.substr(at, 2).starts_with(name)) return true;
  }
  return false;
}

bool is_white_space(char32_t code) {
  return (code >= '\t' && code <= '\r') || code == 0x85 || category_of(code)[0] == 'Z';
}

bool is_word_character(char32_t code) {
  const std::string_view category = category_of(code);
  return category[0] == 'L' || category[0] == 'M' || category == "Nd" || category == "Nl" ||
         category == "Pc" || is_circled_letter(code);
}

bool is_numeric(char32_t code) { return category_of(code)[0] == 'N'; }

bool is_any_mark(char32_t code) {
  const bool was_mark = code == 0x1cf2 || code == 0x1cf3;  // letters since Unicode 12
  return was_mark || (category_of(code)[0] == 'M' && !is_new(code));
}

bool is_ascii_punctuation(char32_t code) {
  return (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96) ||
         (code >= 123 && code <= 126);
}

char32_t capital_letter(char32_t code) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code)));
}

char32_t folded(char32_t code) {
  return static_cast<char32_t>(
      utf8proc_tolower(static_cast<utf8proc_int32_t>(capital_letter(code))));
}

}  // namespace mithril
