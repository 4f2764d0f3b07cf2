#include "mithril/op/formula.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

using FormulaKind = Formula::Kind;

// From the loosest to the tightest; what begins as another does comes first.
constexpr std::array<std::array<std::string_view, 4>, 7> levels = {{
    {"||"},
    {"&&"},
    {"==", "!="},
    {"<=", ">=", "<", ">"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/"},
}};

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Formula parse() {
    Formula whole = choice();
    skip_spaces();
    require(at_ == text_.size(), "something is left over");
    return whole;
  }

 private:
  Formula choice() {
    Formula condition = binary(0);
    if (!take("?")) return condition;
    Formula then = choice();
    require(take(":"), "a ':' is missing");
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
      Formula right = binary(level + 1);
      left = {.kind = FormulaKind::binary,
              .text = std::string(sign),
              .children = {std::move(left), std::move(right)}};
    }
  }

  Formula unary() {
    for (const char* sign : {"-", "!"}) {
      if (take(sign)) return {.kind = FormulaKind::unary, .text = sign, .children = {unary()}};
    }
    return primary();
  }

  Formula primary() {
    skip_spaces();
    if (take("(")) {
      Formula inside = choice();
      require(take(")"), "a ')' is missing");
      return inside;
    }
    if (take("{")) {
      Formula port{.kind = FormulaKind::port, .text = name()};
      require(take("}"), "a '}' is missing");
      return port;
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    Formula call{.kind = FormulaKind::call, .text = name()};
    if (call.text == "unsupported") return {.kind = FormulaKind::unsupported};
    require(take("("), "a '(' is missing");
    do {
      call.children.push_back(choice());
    } while (take(","));
    require(take(")"), "a ')' is missing");
    return call;
  }

  Formula number() {
    Formula number{.kind = FormulaKind::number};
    const char* begin = text_.data() + at_;
    const char* end = std::from_chars(begin, text_.data() + text_.size(), number.number).ptr;
    at_ += static_cast<size_t>(end - begin);
    return number;
  }

  std::string name() {
    const size_t start = at_;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    require(at_ > start, "a name is missing");
    return std::string(text_.substr(start, at_ - start));
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string_view take_any(const std::array<std::string_view, 4>& signs) {
    for (const std::string_view sign : signs) {
      if (!sign.empty() && take(sign)) return sign;
    }
    return {};
  }

  void require(bool holds, const char* what) const {
    MITHRIL_CHECK(holds, "the formula \"" + std::string(text_) + "\": " + what + " at " +
                             std::to_string(at_));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Formula parse_formula(std::string_view text) { return FormulaParser(text).parse(); }

}  // namespace mithril
