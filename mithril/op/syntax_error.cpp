#include "mithril/op/syntax_error.hpp"

#include "mithril/base/error.hpp"

namespace mithril {

void raise_syntax(const char* code, std::string_view what, std::string_view text, size_t at,
                  const std::string& expected) {
  constexpr size_t longest_excerpt = 80;
  const size_t from = at > longest_excerpt / 2 ? at - longest_excerpt / 2 : 0;
  raise({.kind = ErrorKind::parse,
         .code = code,
         .message = "the " + std::string(what) + " of an op, column " + std::to_string(at + 1) +
                    ": expected " + expected,
         .facts = {{std::string(what), std::string(text.substr(from, longest_excerpt))}},
         .marker = point_at(at - from, 1, "expected " + expected)});
}

void NestingDepth::deepen(size_t at) {
  constexpr int deepest = 100;
  if (++depth_ <= deepest) return;
  raise_syntax("E0732", what_, text_, at,
               "at most " + std::to_string(deepest) + " levels of nesting");
}

void SyntaxReader::skip_spaces() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool SyntaxReader::take(std::string_view token) {
  skip_spaces();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void SyntaxReader::require(bool holds, const std::string& expected) const {
  if (!holds) raise_syntax(code_, what_, text_, at_, expected);
}

}  // namespace mithril
