// The tokens and the syntax errors of the formula or the spelling of a record.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mithril {

// ParseError `code` that shows a place of the text; `what` is "formula" or "spelling".
[[noreturn]] void raise_syntax(const char* code, std::string_view what, std::string_view text,
                               size_t at, const std::string& expected);

// The nesting depth of an expression, over which parsers recurse. ParseError E0732 beyond 100.
class NestingDepth {
 public:
  class Level {  // its destructor leaves the level
   public:
    explicit Level(int& depth) : depth_(depth), outer_(depth) {}
    ~Level() { depth_ = outer_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
    const int outer_;
  };

  NestingDepth(std::string_view what, std::string_view text) : what_(what), text_(text) {}
  void deepen(size_t at);
  Level level() { return Level(depth_); }

 private:
  std::string_view what_, text_;
  int depth_ = 0;
};

// Reads the tokens of a formula or a spelling. Spaces separate tokens. A parser derives from it.
class SyntaxReader {
 protected:
  SyntaxReader(const char* code, std::string_view what, std::string_view text)
      : text_(text), depth_(what, text), code_(code), what_(what) {}

  void skip_spaces();
  // Takes the token if it comes next.
  bool take(std::string_view token);
  void require(bool holds, const std::string& expected) const;

  std::string_view text_;
  size_t at_ = 0;
  NestingDepth depth_;

 private:
  const char* code_;
  std::string_view what_;
};

}  // namespace mithril
