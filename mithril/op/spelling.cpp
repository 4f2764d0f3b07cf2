#include "mithril/op/spelling.hpp"
#include "mithril/op/op_def.hpp"

#include <cctype>
#include <charconv>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/syntax_error.hpp"

namespace mithril {
namespace {

using Kind = SpelledExpression::Kind;

class Parser : private SyntaxReader {
 public:
  explicit Parser(std::string_view text) : SyntaxReader("E0731", "spelling", text) {}

  SpelledExpression parse() {
    SpelledExpression whole = choice();
    require(at_ == text_.size(), "the end");
    return whole;
  }

 private:
  SpelledExpression choice() {
    const auto level = depth_.level();
    depth_.deepen(at_);
    SpelledExpression condition = comparison();
    if (!take("?")) return condition;
    SpelledExpression then = choice();
    require(take(":"), "':'");
    return {.kind = Kind::choice, .children = {std::move(condition), std::move(then), choice()}};
  }

  SpelledExpression comparison() {
    SpelledExpression left = postfix();
    if (!take("==")) return left;
    return {.kind = Kind::equal, .children = {std::move(left), postfix()}};
  }

  SpelledExpression postfix() {
    SpelledExpression result = primary();
    while (true) {
      if (take("[")) {
        depth_.deepen(at_);
        const int64_t index = whole_number();
        require(take("]"), "']'");
        result = {.kind = Kind::item, .number = index, .children = {std::move(result)}};
      } else if (take(".")) {
        depth_.deepen(at_);
        result = {.kind = Kind::member, .text = name(), .children = {std::move(result)}};
      } else {
        return result;
      }
    }
  }

  SpelledExpression primary() {
    skip_spaces();
    require(at_ < text_.size(), "an expression");
    const char next = text_[at_];
    if (take("[")) return {.kind = Kind::list, .children = items("]", nullptr)};
    if (next == '"') return in_quotes();
    if (next == '-' || std::isdigit(static_cast<unsigned char>(next))) return number();
    std::string word = name();
    if (word == "True" || word == "False") return {.kind = Kind::flag, .number = word == "True"};
    if (word == "None") return {};
    if (word == "unsupported") return unsupported();
    if (!take("(")) return {.kind = Kind::port, .text = std::move(word)};
    SpelledExpression call{.kind = Kind::call, .text = std::move(word)};
    call.children = items(")", &call.keywords);
    return call;
  }

  std::vector<SpelledExpression> items(std::string_view end, std::vector<std::string>* keywords) {
    std::vector<SpelledExpression> result;
    if (take(end)) return result;
    do {
      if (keywords) keywords->push_back(keyword());
      result.push_back(choice());
    } while (take(","));
    require(take(end), "'" + std::string(end) + "'");
    return result;
  }

  // "dtype=" before an argument; empty for an argument by position.
  std::string keyword() {
    const size_t start = at_;
    skip_spaces();
    if (at_ < text_.size() && is_letter(text_[at_])) {
      std::string word = name();
      skip_spaces();
      if (!text_.substr(at_).starts_with("==") && take("=")) return word;
    }
    at_ = start;
    return {};
  }

  SpelledExpression unsupported() {
    std::string why;
    if (text_.substr(at_).starts_with(":")) {  // with a space between, it belongs to a choice
      ++at_;
      skip_spaces();
      why = text_.substr(at_);
      at_ = text_.size();
    }
    return {.kind = Kind::unsupported, .text = std::move(why)};
  }

  SpelledExpression in_quotes() {
    const size_t end = text_.find('"', at_ + 1);
    require(end != std::string_view::npos, "a quote that ends what begins here");
    SpelledExpression result{.kind = Kind::text,
                             .text = std::string(text_.substr(at_ + 1, end - at_ - 1))};
    at_ = end + 1;
    return result;
  }

  SpelledExpression number() {
    const size_t end = std::min(text_.find_first_not_of("0123456789.e+-", at_), text_.size());
    const std::string_view token = text_.substr(at_, end - at_);
    double value = 0;
    require(is_all_read(token, value), "a number that a double holds");
    at_ = end;
    return {.kind = Kind::number, .text = std::string(token)};
  }

  int64_t whole_number() {
    skip_spaces();
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    int64_t value = 0;
    require(is_all_read(text_.substr(at_, end - at_), value), "a whole number");
    at_ = end;
    return value;
  }

  template <typename T>
  static bool is_all_read(std::string_view token, T& value) {
    const char* end = token.data() + token.size();
    const auto result = std::from_chars(token.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
  }

  static bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

  // A name with namespaces: "aten::add", "prims::div.int".
  std::string name() {
    skip_spaces();
    const size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
      ++at_;
      if (text_.substr(at_).starts_with("::")) at_ += 2;
    }
    require(at_ > start, "a name");
    return std::string(text_.substr(start, at_ - start));
  }

  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
};

}  // namespace

int SpellingContext::list_size() const {
  return static_cast<int>(values_.size() + 1 - op_.inputs.size());
}

size_t SpellingContext::index_of(std::string_view port) const {
  size_t at = 0;
  for (const PortDef& input : op_.inputs) {
    if (input.name == port) return at;
    at += input.list ? static_cast<size_t>(list_size()) : 1;
  }
  faulty_record(op_, "a spelling asks for an input '" + std::string(port) + "'");
}

std::string spelled(const Spelling& spelling, const SpellingContext& node) {
  return spelling.write ? spelling.write(node) : spelling.text;
}

SpelledExpression parse_spelling(std::string_view text) { return Parser(text).parse(); }

}  // namespace mithril
