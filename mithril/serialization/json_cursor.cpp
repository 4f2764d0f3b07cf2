// JSON as serde_json accepts it.
#include "mithril/serialization/json_cursor.hpp"

#include <algorithm>
#include <charconv>

namespace mithril {
namespace {

constexpr int most_levels = 127;

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& text, std::uint32_t point) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      add(0xE0 | point >> 12);
    } else {
      add(0xF0 | point >> 18);
      add(0x80 | (point >> 12 & 0x3F));
    }
    add(0x80 | (point >> 6 & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

// The power of ten of the first digit that is not zero; nothing if all are zero. Saturates.
std::optional<std::int64_t> leading_exponent(std::string_view number) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const std::size_t mantissa_end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, mantissa_end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return std::nullopt;
  auto exponent = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (first < point) --exponent;
  std::string_view written = number.substr(std::min(mantissa_end + 1, number.size()));
  const bool negative = written.starts_with('-');
  if (negative || written.starts_with('+')) written.remove_prefix(1);
  std::int64_t stated = 0;
  for (const char digit : written) stated = std::min(most, stated * 10 + (digit - '0'));
  return exponent + (negative ? -stated : stated);
}

bool is_finite_double(std::string_view number) {
  constexpr std::int64_t largest = 308;
  const auto exponent = leading_exponent(number);
  if (!exponent || *exponent < largest) return true;
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  return *exponent == largest && read.ec == std::errc();
}

}  // namespace

void JsonCursor::expected(std::string_view what) { throw JsonFault{at_, std::string(what)}; }

char JsonCursor::peek() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
  return at_ < text_.size() ? text_[at_] : '\0';
}

void JsonCursor::open(char bracket, std::string_view what) {
  if (peek() != bracket) expected(what);
  if (++depth_ > most_levels) expected("at most 127 levels of nesting");
  ++at_;
}

bool JsonCursor::next(char closing, bool first) {
  const char c = peek();
  if (c == closing) {
    ++at_;
    --depth_;
    return false;
  }
  if (first) return true;
  if (c != ',') expected(closing == '}' ? "',' or '}'" : "',' or ']'");
  ++at_;
  return true;
}

void JsonCursor::colon() {
  if (peek() != ':') expected("':'");
  ++at_;
}

void JsonCursor::word(std::string_view expected_word) {
  peek();
  if (!text_.substr(at_).starts_with(expected_word)) expected(expected_word);
  at_ += expected_word.size();
}

std::size_t JsonCursor::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_json_digit(text_[at_])) ++at_;
  if (at_ == begin) expected("a digit");
  return at_ - begin;
}

std::string_view JsonCursor::number() {
  peek();
  const std::size_t begin = at_;
  const auto take = [&](std::string_view any_of) {
    const bool there = at_ < text_.size() && any_of.find(text_[at_]) != std::string_view::npos;
    at_ += there;
    return there;
  };
  take("-");
  const bool zero = at_ < text_.size() && text_[at_] == '0';
  if (digits() > 1 && zero) {
    at_ = begin;
    expected("a number without leading zeros");
  }
  if (take(".")) digits();
  if (take("eE")) {
    take("+-");
    digits();
  }
  const std::string_view taken = text_.substr(begin, at_ - begin);
  if (is_finite_double(taken)) return taken;
  at_ = begin;
  expected("a number that a double can hold");
}

std::optional<std::uint64_t> JsonCursor::unsigned_integer() {
  const char first = peek();
  if (first != '-' && !is_json_digit(first)) expected("an integer");
  const std::string_view text = number();
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint32_t JsonCursor::hex() {
  std::uint32_t value = 0;
  const std::string_view four = text_.substr(std::min(at_, text_.size()), 4);
  const auto read = std::from_chars(four.data(), four.data() + four.size(), value, 16);
  if (four.size() < 4 || read.ptr != four.data() + 4) expected("four hexadecimal digits");
  at_ += 4;
  return value;
}

// Parses an escape after the backslash.
void JsonCursor::escape(std::string& text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  const char letter = at_ < text_.size() ? text_[at_] : '\0';
  const std::size_t known = letter ? letters.find(letter) : std::string_view::npos;
  if (known != std::string_view::npos) {
    ++at_;
    text += meanings[known];
    return;
  }
  if (letter != 'u') expected("an escape of JSON");
  ++at_;
  std::uint32_t point = hex();
  const bool leads = point >= 0xD800 && point < 0xDC00;
  if (leads && text_.substr(at_).starts_with("\\u")) {
    at_ += 2;
    const std::uint32_t trailing = hex();
    if (trailing < 0xDC00 || trailing > 0xDFFF) expected("the second half of a surrogate pair");
    point = 0x10000 + ((point - 0xD800) << 10) + (trailing - 0xDC00);
  }
  if (point >= 0xD800 && point < 0xE000) expected("both halves of a surrogate pair");
  append_utf8(text, point);
}

std::string JsonCursor::string() {
  if (peek() != '"') expected("a string");
  ++at_;
  std::string text;
  for (;;) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    text.append(text_.substr(begin, at_ - begin));
    if (at_ == text_.size()) expected("'\"'");
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') expected("no control character in a string");
    ++at_;
    escape(text);
  }
  ++at_;
  return text;
}

void JsonCursor::skip() {
  const char first = peek();
  if (first == '{') return object([&](const std::string&) { skip(); });
  if (first == '[') return array([&] { skip(); });
  if (first == '"') {
    string();
  } else if (first == 't') {
    word("true");
  } else if (first == 'f') {
    word("false");
  } else if (first == 'n') {
    null();
  } else if (first == '-' || is_json_digit(first)) {
    number();
  } else {
    expected("a value");
  }
}

}  // namespace mithril
