#include "mithril/op/formula.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "mithril/op/syntax_error.hpp"

namespace mithril {
namespace {

using FormulaKind = Formula::Kind;

// By increasing precedence; a longer operator comes before its prefixes.
constexpr std::array<std::array<std::string_view, 4>, 7> levels = {{
    {"||"},
    {"&&"},
    {"==", "!="},
    {"<=", ">=", "<", ">"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/"},
}};

// A chain of operators of one level becomes a tree as deep as the chain is long.
constexpr int most_operators = 1000;

class FormulaParser : private SyntaxReader {
 public:
  explicit FormulaParser(std::string_view text) : SyntaxReader("E0730", "formula", text) {}

  Formula parse() {
    Formula whole = choice();
    skip_spaces();
    require(at_ == text_.size(), "an operator or the end");
    return whole;
  }

 private:
  Formula choice() {
    const auto level = depth_.level();
    depth_.deepen(at_);
    Formula condition = binary(0);
    if (!take("?")) return condition;
    Formula then = choice();
    require(take(":"), "':'");
    Formula otherwise = choice();
    return {.kind = FormulaKind::choice,
            .children = {std::move(condition), std::move(then), std::move(otherwise)}};
  }

  Formula binary(size_t level) {
    if (level == levels.size()) return unary();
    Formula left = binary(level + 1);
    while (true) {
      const std::string_view sign = take_any(levels[level]);
      if (sign.empty()) return left;
      require(++operators_ <= most_operators,
              "at most " + std::to_string(most_operators) + " operators");
      if (sign == "==" && left.kind == FormulaKind::port && take_word("None")) {
        left.kind = FormulaKind::is_none;
        continue;
      }
      Formula right = binary(level + 1);
      left = {.kind = FormulaKind::binary,
              .text = std::string(sign),
              .children = {std::move(left), std::move(right)}};
    }
  }

  Formula unary() {
    for (const char* sign : {"-", "!"}) {
      if (!take(sign)) continue;
      const auto level = depth_.level();
      depth_.deepen(at_);
      return {.kind = FormulaKind::unary, .text = sign, .children = {unary()}};
    }
    return primary();
  }

  Formula primary() {
    skip_spaces();
    if (take("(")) {
      Formula inside = choice();
      require(take(")"), "')'");
      return inside;
    }
    if (take("{")) {
      Formula port{.kind = FormulaKind::port, .text = name()};
      require(take("}"), "'}'");
      return port;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    Formula call{.kind = FormulaKind::call, .text = name()};
    if (call.text == "unsupported") return {.kind = FormulaKind::unsupported};
    require(take("("), "'('");
    do {
      call.children.push_back(choice());
    } while (take(","));
    require(take(")"), "')'");
    return call;
  }

  Formula number() {
    Formula number{.kind = FormulaKind::number};
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number.number);
    require(error == std::errc(), "a number that a double holds");
    at_ += static_cast<size_t>(end - begin);
    return number;
  }

  static bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  std::string name() {
    const size_t start = at_;
    while (at_ < text_.size() && is_part_of_name(text_[at_])) ++at_;
    require(at_ > start, "a name");
    return std::string(text_.substr(start, at_ - start));
  }

  bool take_word(std::string_view word) {
    skip_spaces();
    const size_t start = at_;
    if (at_ < text_.size() && is_part_of_name(text_[at_]) && name() == word) return true;
    at_ = start;
    return false;
  }

  std::string_view take_any(const std::array<std::string_view, 4>& signs) {
    for (const std::string_view sign : signs) {
      if (!sign.empty() && take(sign)) return sign;
    }
    return {};
  }

  int operators_ = 0;
};

}  // namespace

Formula parse_formula(std::string_view text) { return FormulaParser(text).parse(); }

}  // namespace mithril
