// Quoting of names and strings; decimals that are read back exactly.
#include "mithril/graph/text_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mithril/base/printable.hpp"

namespace mithril {
namespace {

constexpr std::string_view words[] = {"None", "True", "False", "inf", "nan", "slice"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A string may be the text of a graph, which has strings of its own. Escaping each backslash would
// double their number at each depth. So a run of n backslashes is written as a backslash and n.
constexpr size_t least_run = 3, longest_run = 9;

std::string quoted_in(std::string_view text, char quote) {
  std::string result(1, quote);
  while (!text.empty()) {
    const char c = text.front();
    const size_t run = std::min(text.find_first_not_of('\\'), text.size());
    if (run >= least_run) {
      const size_t taken = std::min(run, longest_run);
      result += {'\\', static_cast<char>('0' + taken)};
      text.remove_prefix(taken);
      continue;
    }
    const size_t shown = shown_bytes(text);
    if (c == quote || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (shown == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += text.substr(0, shown);
    }
    text.remove_prefix(std::max<size_t>(shown, 1));
  }
  return result + quote;
}

// The unsigned integer with as many bits.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t,
                                std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;

template <class T>
T usual_nan() {
  return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
}

template <class T>
std::optional<T> read_nan(std::string_view text) {
  if (text == "nan") return usual_nan<T>();
  if (!text.starts_with("nan(0x") || !text.ends_with(")")) return std::nullopt;
  text = text.substr(6, text.size() - 7);
  Bits<T> bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::bit_cast<T>(bits);
}

template <class Number>
std::optional<Number> read_decimal(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool is_reserved(std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words) ||
         std::any_of(std::begin(all_dtypes), std::end(all_dtypes),
                     [&](DType dtype) { return name(dtype) == word; });
}

bool is_symbol_name(std::string_view name) {
  return is_plain_name(name) && name.find('.') == std::string_view::npos;
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || !is_letter(name.front()) || name.back() == '.' || is_reserved(name)) {
    return false;
  }
  for (size_t i = 0; i < name.size(); ++i) {
    const bool dot = name[i] == '.' && name[i - 1] != '.';
    if (!dot && !is_letter(name[i]) && !is_digit(name[i])) return false;
  }
  return true;
}

std::string name_text(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : quoted_in(name, '`');
}

std::string string_text(std::string_view text) { return quoted_in(text, '"'); }

std::optional<std::string> unescape(std::string_view between) {
  std::string result;
  for (size_t i = 0; i < between.size(); ++i) {
    if (between[i] != '\\') {
      result += between[i];
      continue;
    }
    if (++i == between.size()) return std::nullopt;
    if (between[i] == 'n') {
      result += '\n';
    } else if (between[i] == '\\' || between[i] == '"' || between[i] == '`') {
      result += between[i];
    } else if (between[i] >= static_cast<char>('0' + least_run) && between[i] <= '9') {
      result.append(static_cast<size_t>(between[i] - '0'), '\\');
    } else if (between[i] == 'x' && i + 2 < between.size()) {
      unsigned code = 0;
      const char* digits = between.data() + i + 1;
      if (std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) return std::nullopt;
      result += static_cast<char>(code);
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

template <class T>
std::string element_text(T element) {
  if constexpr (std::is_same_v<T, bool>) {
    return element ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(element);
  } else if constexpr (sizeof(T) == 2) {
    const float wide = element;
    if (std::isnan(wide) && element.bits != usual_nan<T>().bits) {
      return fmt::format("nan(0x{:x})", element.bits);
    }
    return element_text(std::isnan(wide) ? std::numeric_limits<float>::quiet_NaN() : wide);
  } else {
    const auto bits = std::bit_cast<Bits<T>>(element);
    if (!std::isnan(element)) return fmt::format("{}", element);
    return bits == std::bit_cast<Bits<T>>(usual_nan<T>()) ? "nan"
                                                          : fmt::format("nan(0x{:x})", bits);
  }
}

template <class T>
std::optional<T> read_element(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "True" || text == "False") return text == "True";
    return std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    return read_decimal<T>(text);
  } else {
    if (text.starts_with("nan")) return read_nan<T>(text);
    const auto number = read_decimal<std::conditional_t<sizeof(T) == 2, float, T>>(text);
    return number ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
  }
}

template std::string element_text(bool);
template std::string element_text(int32_t);
template std::string element_text(int64_t);
template std::string element_text(int8_t);
template std::string element_text(int16_t);
template std::string element_text(uint8_t);
template std::string element_text(uint16_t);
template std::string element_text(uint32_t);
template std::string element_text(uint64_t);
template std::string element_text(float16);
template std::string element_text(bfloat16);
template std::string element_text(float);
template std::string element_text(double);
template std::optional<bool> read_element(std::string_view);
template std::optional<int32_t> read_element(std::string_view);
template std::optional<int64_t> read_element(std::string_view);
template std::optional<int8_t> read_element(std::string_view);
template std::optional<int16_t> read_element(std::string_view);
template std::optional<uint8_t> read_element(std::string_view);
template std::optional<uint16_t> read_element(std::string_view);
template std::optional<uint32_t> read_element(std::string_view);
template std::optional<uint64_t> read_element(std::string_view);
template std::optional<float16> read_element(std::string_view);
template std::optional<bfloat16> read_element(std::string_view);
template std::optional<float> read_element(std::string_view);
template std::optional<double> read_element(std::string_view);

std::string real_text(double number) {
  const std::string text = element_text(number);
  const bool like_an_int = text.find_first_of(".en") == std::string::npos;  // n: of inf and nan
  return like_an_int ? text + ".0" : text;
}

}  // namespace mithril
