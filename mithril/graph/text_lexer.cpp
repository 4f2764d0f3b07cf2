// Cuts the text of a graph into tokens.
#include "mithril/graph/text_lexer.hpp"

#include <algorithm>
#include <cctype>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

constexpr std::string_view signs[] = {"...", "//", "{", "}", "[", "]", "(",
                                      ")",   ":",  ",", "=", "+", "-", "*"};
constexpr size_t longest_excerpt = 80;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  const bool fits = token.text.size() <= longest_excerpt / 2;
  const std::string text(token.text.substr(0, longest_excerpt / 2));
  return fits && text.front() == '"' ? text : in_quotes(text + (fits ? "" : "..."));
}

}  // namespace

Lexer::Lexer(std::string_view source) : source_(source), token_(scan()) {}

bool Lexer::at(std::string_view text) const {
  return (token_.kind == Token::Kind::name || token_.kind == Token::Kind::sign) &&
         token_.text == text;
}

Token Lexer::take() {
  const Token taken = token_;
  token_ = scan();
  return taken;
}

bool Lexer::skip(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!skip(text)) fail("E0701", token_, in_quotes(text));
}

Token Lexer::scan() {
  while (position_ < source_.size()) {
    if (source_[position_] == '#') {
      position_ = std::min(source_.find('\n', position_), source_.size());
    } else if (std::isspace(static_cast<unsigned char>(source_[position_]))) {
      ++position_;
    } else {
      break;
    }
  }
  const size_t begin = position_;
  auto token = [&](Token::Kind kind, size_t end) {
    position_ = end;
    return Token{kind, source_.substr(begin, end - begin), begin};
  };
  if (begin == source_.size()) return token(Token::Kind::end, begin);
  const char first = source_[begin];
  if (first == '`') return token(Token::Kind::quoted, end_of_quoted(begin));
  if (first == '"') return token(Token::Kind::string, end_of_quoted(begin));
  for (const std::string_view sign : signs) {
    if (source_.substr(begin).starts_with(sign))
      return token(Token::Kind::sign, begin + sign.size());
  }
  const bool number = std::isdigit(static_cast<unsigned char>(first));
  size_t end = begin;
  while (end < source_.size()) {
    const char before = end > begin ? source_[end - 1] : ' ';
    const bool exponent_sign =
        number && (source_[end] == '-' || source_[end] == '+') && (before == 'e' || before == 'E');
    if (!is_word(source_[end]) && !exponent_sign) break;
    ++end;
  }
  if (end == begin) {
    fail("E0701", token(Token::Kind::sign, begin + 1), "a name, a number or a sign");
  }
  return token(number ? Token::Kind::number : Token::Kind::name, end);
}

size_t Lexer::end_of_quoted(size_t from) const {
  for (size_t i = from + 1; i < source_.size() && source_[i] != '\n'; ++i) {
    if (source_[i] == source_[from]) return i + 1;
    if (source_[i] == '\\') ++i;
  }
  const std::string quote(1, source_[from]);
  fail("E0701", {Token::Kind::sign, source_.substr(from, 1), from},
       "a " + quote + " that ends what begins here, on the same line");
}

void Lexer::fail(std::string code, const Token& token, const std::string& expected,
                 std::string help) const {
  const auto line =
      1 + std::count(source_.begin(), source_.begin() + static_cast<long>(token.at), '\n');
  const size_t line_begin = token.at == 0 ? 0 : source_.rfind('\n', token.at - 1) + 1;
  const size_t line_end = std::min(source_.find('\n', token.at), source_.size());
  const size_t column = token.at - line_begin;
  const size_t from = column > longest_excerpt / 2 ? token.at - longest_excerpt / 2 : line_begin;
  const std::string_view excerpt = source_.substr(from, std::min(line_end - from, longest_excerpt));
  const size_t width = std::clamp<size_t>(token.text.size(), 1, 20);
  raise({.kind = ErrorKind::parse,
         .code = std::move(code),
         .message = "graph text, line " + std::to_string(line) + ", column " +
                    std::to_string(column + 1) + ": expected " + expected + ", got " + shown(token),
         .facts = {{"line " + std::to_string(line), std::string(excerpt), ""}},
         .marker = point_at(token.at - from, width, "expected " + expected),
         .help = std::move(help)});
}

void Lexer::fail_unknown(const Token& token, const std::string& what, std::string_view name,
                         const std::vector<std::string>& candidates) const {
  fail("E0702", token, what + " that exists", did_you_mean(name, candidates));
}

}  // namespace mithril
