// The text of a graph as tokens, and the errors that point into it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

struct Token {
  enum class Kind { name, quoted, string, number, sign, end };
  Kind kind = Kind::end;
  std::string_view text;  // as written, including quotes
  size_t at = 0;          // offset into the source
};

// Copyable: a copy looks ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view source);  // which outlives it

  const Token& current() const { return token_; }
  bool at(std::string_view text) const;  // an unquoted word or a sign
  Token take();                          // the current token; moves to the next
  bool skip(std::string_view text);      // if it is the current token
  void expect(std::string_view text);    // ParseError E0701 if it is not
  // ParseError with line, column, expected and got.
  [[noreturn]] void fail(std::string code, const Token& token, const std::string& expected,
                         std::string help = {}) const;
  // "expected ... " about a name that is not among the candidates, with the nearest of them.
  [[noreturn]] void fail_unknown(const Token& token, const std::string& what, std::string_view name,
                                 const std::vector<std::string>& candidates) const;

 private:
  Token scan();
  size_t end_of_quoted(size_t from) const;
  std::string_view source_;
  size_t position_ = 0;
  Token token_;
};

}  // namespace mithril
