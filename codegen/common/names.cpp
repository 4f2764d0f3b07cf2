#include "codegen/common/names.hpp"

#include <algorithm>

namespace mithril::codegen {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Keywords of C++23 and C, extensions of compilers, and lower-case macros of standard headers.
bool is_word_of_the_language(const std::string& name) {
  static const std::string words =
      " "
      "alignas alignof and and_eq asm assert atomic_cancel auto bitand bitor bool break "
      "case catch char char16_t char32_t char8_t class co_await co_return co_yield compl "
      "complex concept const const_cast consteval constexpr constinit continue decltype "
      "default delete do double dynamic_cast else enum errno explicit export extern false "
      "far final float for friend goto i386 if import inline int int16_t int32_t int64_t int8_t "
      "linux long main "
      "module "
      "mutable namespace near new noexcept noreturn not not_eq nullptr operator or or_eq "
      "override private protected public reflexpr register reinterpret_cast requires "
      "restrict return short signed size_t sizeof static static_assert static_cast stderr stdin "
      "stdout struct switch synchronized template this thread_local throw true try typedef "
      "typeid typename typeof union unix unsigned using virtual void volatile wchar_t "
      "while xor xor_eq ";
  return words.find(" " + name + " ") != std::string::npos;
}

}  // namespace

// Names with two underscores together, or with a leading one, are reserved. Names in capitals may
// be macros.
std::string identifier(std::string_view name) {
  const std::string text = prefix(name);
  const bool capitals = text.size() > 1 && std::none_of(text.begin(), text.end(), [](char c) {
                          return c >= 'a' && c <= 'z';
                        });
  return capitals || is_word_of_the_language(text) ? text + "_" : text;
}

std::string prefix(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool keeps = is_letter(c) || is_digit(c);
    if (keeps) text += c;
    if (!keeps && !text.empty() && text.back() != '_') text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  if (text.empty()) return "unnamed";
  if (is_digit(text.front())) text.insert(0, "n");
  return text;
}

std::string comment(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  // A backslash, or its trigraph, at the end of a line continues the comment in the next line.
  if (!result.empty() && (result.back() == '\\' || result.ends_with("?\?/"))) result += '.';
  return result;
}

std::string Identifiers::add(std::string_view name) {
  const std::string plain = identifier(name);
  std::string text = plain;
  for (int number = 2; !taken_.insert(text).second; ++number) {
    text = plain + "_" + std::to_string(number);
  }
  return text;
}

}  // namespace mithril::codegen
