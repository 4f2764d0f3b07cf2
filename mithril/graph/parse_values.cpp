// Reads dims (sums and products of names and numbers), values and the elements of constants.
#include "mithril/graph/parse_values.hpp"

#include "mithril/graph/text_syntax.hpp"

namespace mithril {
namespace {

constexpr int deepest_nesting = 100;

bool is_real(const std::string& text) {
  return !text.starts_with("0x") && text.find_first_of(".eEn") != std::string::npos;
}

}  // namespace

// One level of parentheses: recursion ends in an error, not in an overflow of the stack.
struct ValueParser::Deeper {
  explicit Deeper(ValueParser& parser) : depth(parser.depth_) {
    if (++depth > deepest_nesting) {
      parser.lexer_.fail("E0706", parser.lexer_.current(),
                         "at most " + std::to_string(deepest_nesting) + " levels of parentheses");
    }
  }
  ~Deeper() { --depth; }
  int& depth;
};

template <class T>
T ValueParser::read(const Token& token, const std::string& text, const std::string& expected) {
  const auto number = read_element<T>(text);
  if (!number) lexer_.fail("E0705", token, expected);
  return *number;
}

DType ValueParser::dtype() {
  std::vector<std::string> names;
  const Token token = lexer_.take();
  for (const DType dtype : all_dtypes) {
    if (token.text == mithril::name(dtype)) return dtype;
    names.emplace_back(mithril::name(dtype));
  }
  lexer_.fail_unknown(token, "a dtype", token.text, names);
}

std::string ValueParser::name() {
  const Token token = lexer_.take();
  if (token.kind == Token::Kind::name) return std::string(token.text);
  if (token.kind != Token::Kind::quoted) lexer_.fail("E0701", token, "a name");
  const auto text = unescape(token.text.substr(1, token.text.size() - 2));
  if (!text) lexer_.fail("E0701", token, "\\n, \\\\, \\` or \\x and two digits after a backslash");
  return *text;
}

std::vector<std::string> ValueParser::symbol_names() const {
  std::vector<std::string> names;
  for (const auto& [name, dim] : symbols_) names.push_back(name);
  return names;
}

void ValueParser::declaration(bool size) {
  const Token token = lexer_.take();
  if (token.kind != Token::Kind::name || !is_symbol_name(token.text)) {
    lexer_.fail("E0701", token, "a name of letters, digits and _");
  }
  const std::string name(token.text);
  if (is_symbol(name)) lexer_.fail("E0703", token, "a name that is not declared yet");
  const Dim meaning = lexer_.skip("=") ? dim() : Dim(facts_.symbol(name, size));
  symbols_.emplace(name, meaning);
}

Dim ValueParser::dim() {
  may_make_symbols_ = true;
  const Dim dim = sum();
  may_make_symbols_ = false;
  return dim;
}

Dim ValueParser::sum(std::optional<Dim> first) {
  Dim left = product(first);
  while (lexer_.at("+") || lexer_.at("-")) {
    const bool minus = lexer_.take().text == "-";
    const Dim right = product({});
    left = minus ? left - right : left + right;
  }
  return left;
}

Dim ValueParser::product(std::optional<Dim> first) {
  Dim left = first ? *first : factor();
  while (lexer_.at("*") || lexer_.at("//")) {
    const bool times = lexer_.take().text == "*";
    const Token token = lexer_.current();
    const Dim right = factor();
    if (!times && right.is_constant(0)) lexer_.fail("E0705", token, "a divisor that is not 0");
    left = times ? left * right : floor_divide(left, right);
  }
  return left;
}

Dim ValueParser::factor() {
  const Deeper deeper(*this);
  if (lexer_.skip("(")) {
    const Dim dim = sum();
    lexer_.expect(")");
    return dim;
  }
  if (lexer_.current().kind == Token::Kind::name) return symbol();
  Lexer ahead = lexer_;
  if (ahead.skip("-") && ahead.current().kind != Token::Kind::number) {
    lexer_.take();
    return Dim(0) - factor();
  }
  return number();
}

Dim ValueParser::number() {
  const Token token = lexer_.current();
  return Dim(read<int64_t>(token, number_text(), "a whole number of 64 bits"));
}

Dim ValueParser::symbol() {
  const Token token = lexer_.take();
  if (const auto known = symbols_.find(token.text); known != symbols_.end()) return known->second;
  if (!is_symbol_name(token.text)) lexer_.fail("E0701", token, "a number or the name of a size");
  if (!may_make_symbols_) lexer_.fail_unknown(token, "a size", token.text, symbol_names());
  const std::string name(token.text);
  return symbols_.emplace(name, Dim(facts_.symbol(name))).first->second;
}

Datum ValueParser::datum() {
  const Deeper deeper(*this);
  const Token token = lexer_.current();
  if (token.kind == Token::Kind::string) {
    lexer_.take();
    const auto text = unescape(token.text.substr(1, token.text.size() - 2));
    if (!text)
      lexer_.fail("E0701", token, "\\n, \\\\, \\\" or \\x and two digits after a backslash");
    return Datum(*text);
  }
  if (lexer_.skip("None")) return Datum();
  if (lexer_.skip("True")) return Datum(true);
  if (lexer_.skip("False")) return Datum(false);
  if (lexer_.skip("...")) return Datum(Ellipsis{});
  if (lexer_.skip("slice")) return slice();
  if (lexer_.at("(")) return parenthesised();
  Lexer ahead = lexer_;
  ahead.skip("-");
  if (is_reserved(ahead.current().text) && !ahead.at("inf") && !ahead.at("nan")) return dtype();
  const bool number = ahead.current().kind == Token::Kind::number;
  if (ahead.at("inf") || ahead.at("nan") ||
      (number && is_real(std::string(ahead.current().text)))) {
    return Datum(read<double>(token, number_text(), "a number"));
  }
  return Datum(sum());
}

// A tuple, or an int that starts with a parenthesis.
Datum ValueParser::parenthesised() {
  lexer_.expect("(");
  Tuple items;
  while (!lexer_.at(")")) {
    items.push_back(datum());
    if (lexer_.skip(",")) continue;
    if (items.size() > 1) break;
    if (items[0].kind() != kind::int_value) lexer_.fail("E0701", lexer_.current(), "','");
    lexer_.expect(")");
    return Datum(sum(items[0].dim()));
  }
  lexer_.expect(")");
  return Datum(std::move(items));
}

Datum ValueParser::slice() {
  Slice slice;
  lexer_.expect("(");
  slice.start = datum();
  lexer_.expect(",");
  slice.stop = datum();
  lexer_.expect(",");
  slice.step = datum();
  lexer_.expect(")");
  return Datum(std::move(slice));
}

// A number with its sign; "nan(0x7fc00001)" is one.
std::string ValueParser::number_text() {
  std::string text = lexer_.skip("-") ? "-" : "";
  const Token token = lexer_.take();
  text += token.text;
  const bool word =
      token.text == "inf" || token.text == "nan" || token.text == "True" || token.text == "False";
  if (token.kind != Token::Kind::number && !word) lexer_.fail("E0701", token, "a number");
  if (token.text == "nan" && lexer_.skip("(")) {
    text += "(" + std::string(lexer_.take().text) + ")";
    lexer_.expect(")");
  }
  return text;
}

template <class T>
Tensor ValueParser::elements(const Dims& dims) {
  const std::string expected = "an element of dtype " + std::string(mithril::name(dtype_of<T>));
  std::vector<T> elements;
  while (!lexer_.at("}")) {
    const Token token = lexer_.current();
    elements.push_back(read<T>(token, number_text(), expected));
    if (!lexer_.skip(",")) break;
  }
  const int64_t count = element_count(dims);
  if (static_cast<int64_t>(elements.size()) != count) {
    lexer_.fail(
        "E0704", lexer_.current(),
        std::to_string(count) + " elements before this, not " + std::to_string(elements.size()));
  }
  lexer_.expect("}");
  return Tensor::of<T>(dims, elements);
}

Tensor ValueParser::tensor(DType dtype, const Dims& dims) {
  lexer_.expect("{");
  const Tensor read = visit_dtype(is_low_bit(dtype) ? widened(dtype) : dtype,
                                  [&](auto zero) { return elements<decltype(zero)>(dims); });
  return is_low_bit(dtype) ? read.to(dtype) : read;
}

}  // namespace mithril
