#include "mithril/op/formula.hpp"

#include <doctest/doctest.h>

#include <exception>
#include <string>

#include "mithril/op/row_formula.hpp"

namespace mithril {
namespace {

using FormulaKind = Formula::Kind;

std::string mistake_in_formula(const std::string& text) {
  try {
    parse_formula(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("operators of C bind as in C") {
  const Formula sum = parse_formula("{a} + {b} * 2 - {c}");
  REQUIRE(sum.kind == FormulaKind::binary);
  CHECK(sum.text == "-");
  CHECK(sum.children[0].text == "+");
  CHECK(sum.children[0].children[1].text == "*");
  CHECK(parse_formula("{a} < 0 ? -{a} : exp({a})").kind == FormulaKind::choice);
}

TEST_CASE("a formula tests a port for None with ==") {
  const Formula choice = parse_formula("{low} == None ? {a} : {a} + {low}");
  CHECK(choice.children[0].kind == FormulaKind::is_none);
  CHECK(choice.children[0].text == "low");
  CHECK(mistake_in_formula("{a} == Nones").find("expected '('") != std::string::npos);
  CHECK(mistake_in_formula("None == {a}").find("expected '('") != std::string::npos);
  CHECK(mistake_in_formula("{a} + 1 == None").find("expected '('") != std::string::npos);
}

TEST_CASE("a malformed formula is refused with the place of the mistake") {
  CHECK(mistake_in_formula("exp({input} + ") ==
        "mithril.ParseError[E0730]: the formula of an op, column 15: expected a name\n"
        "  formula : exp({input} + \n"
        "                          ^ expected a name");
  CHECK(mistake_in_formula("{a").find("column 3: expected '}'") != std::string::npos);
  CHECK(mistake_in_formula("{a} {b}").find("expected an operator or the end") != std::string::npos);
  CHECK(mistake_in_formula("1e999").find("expected a number that a double holds") !=
        std::string::npos);
}

TEST_CASE("a formula of rows names elements and reductions") {
  using Reduction = RowStatement::Reduction;
  const auto statements =
      parse_row_formula("top = largest({a}); b = exp({a} - {top}) ; c=sum({b})");
  REQUIRE(statements.size() == 3);
  CHECK(statements[0].name == "top");
  CHECK(statements[0].reduction == Reduction::largest);
  CHECK(statements[0].formula.kind == FormulaKind::port);
  CHECK(statements[1].reduction == Reduction::none);
  CHECK(statements[1].formula.text == "exp");
  CHECK(statements[2].reduction == Reduction::sum);
  const auto mistake = [](const std::string& text) -> std::string {
    try {
      parse_row_formula(text);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(mistake("{a} + 1").find("expected name = formula") != std::string::npos);
  CHECK(mistake("a b = {a}").find("expected name = formula") != std::string::npos);
  CHECK(mistake("b = {a};").find("expected name = formula") != std::string::npos);
  CHECK(mistake("b = {a").find("expected '}'") != std::string::npos);
}

TEST_CASE("a formula nests at most 100 levels and has at most 1000 operators") {
  CHECK(mistake_in_formula(times(99, "(") + "{a}" + times(99, ")")) == "none");
  const std::string deep = mistake_in_formula(times(200'000, "(") + "{a}" + times(200'000, ")"));
  CHECK(
      deep.starts_with("mithril.ParseError[E0732]: the formula of an op, column 101: expected at "
                       "most 100 levels of nesting\n"));
  for (const char* open : {"-", "f(", "{a} ? ", "{a} ? {b} : "})
    CHECK(mistake_in_formula(times(200'000, open) + "{a}").find("E0732") != std::string::npos);
  CHECK(mistake_in_formula("1" + times(1000, "+ 1")) == "none");
  CHECK(mistake_in_formula("1" + times(200'000, "+ 1")).find("expected at most 1000 operators") !=
        std::string::npos);
}

}  // namespace mithril
