#include "mithril/text/unicode.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

constexpr std::string_view category_names =
    "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co";

std::string_view category_of(char32_t code) {
  const auto number = static_cast<size_t>(utf8proc_category(static_cast<utf8proc_int32_t>(code)));
  return category_names.substr(3 * number, 2);
}

// Letters that are no L.
bool is_circled_letter(char32_t code) {
  return (code >= 0x24b6 && code <= 0x24e9) || (code >= 0x1f130 && code <= 0x1f149) ||
         (code >= 0x1f150 && code <= 0x1f169) || (code >= 0x1f170 && code <= 0x1f189);
}

}  // namespace

std::string normal_form(std::string_view text, NormalForm form) {
  if (text.empty()) return {};
  const bool is_composed = form == NormalForm::nfc || form == NormalForm::nfkc;
  const bool is_compatible = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const int options = UTF8PROC_STABLE | (is_composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                      (is_compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t* made = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &made,
                                 static_cast<utf8proc_option_t>(options));
  if (size < 0) throw std::bad_alloc();
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  return {reinterpret_cast<const char*>(made), static_cast<size_t>(size)};
}

std::string lower_case(std::string_view text) {
  std::u32string lower;
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes);
    if (next.code == 0x130) {  // the only letter whose small form is two characters
      lower += U"i\u0307";
      continue;
    }
    lower += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(next.code)));
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

bool is_any_mark(char32_t code) { return category_of(code)[0] == 'M'; }

bool is_ascii_punctuation(char32_t code) {
  return (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96) ||
         (code >= 123 && code <= 126);
}

char32_t folded(char32_t code) {
  return static_cast<char32_t>(
      utf8proc_tolower(utf8proc_toupper(static_cast<utf8proc_int32_t>(code))));
}

}  // namespace mithril
