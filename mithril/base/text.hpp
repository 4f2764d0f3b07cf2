// Small helpers for building text.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace mithril {

// A number of bytes as text: "1.2 MiB".
std::string memory_text(double bytes);

// With the ASCII letters A to Z as a to z.
std::string lower_case(std::string_view text);

inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// The width of UTF-8 text in columns, one for each code point.
inline std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return width;
}

// The elements of a range of strings or integers with a separator between them: join(dims, ", ") is
// "2, 3".
template <class Range>
std::string join(const Range& range, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += separator;
    first = false;
    if constexpr (std::integral<std::remove_cvref_t<decltype(element)>>) {
      text += std::to_string(element);
    } else {
      text += element;
    }
  }
  return text;
}

}  // namespace mithril
