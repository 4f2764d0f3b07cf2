#include "mithril/op/spelling.hpp"

#include <doctest/doctest.h>

#include <exception>
#include <string>

namespace mithril {
namespace {

using Kind = SpelledExpression::Kind;

std::string mistake(const char* text) {
  try {
    parse_spelling(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a call has arguments by position and by name") {
  const SpelledExpression call = parse_spelling("aten::gelu(input, approximate=\"tanh\")");
  CHECK(call.kind == Kind::call);
  CHECK(call.text == "aten::gelu");
  REQUIRE(call.children.size() == 2);
  CHECK(call.children[0].kind == Kind::port);
  CHECK(call.keywords[0].empty());
  CHECK(call.keywords[1] == "approximate");
  CHECK(call.children[1].text == "tanh");
}

TEST_CASE("a choice nests on both sides without parentheses") {
  const SpelledExpression outer = parse_spelling("a == None ? b == [] ? x : y : z");
  REQUIRE(outer.kind == Kind::choice);
  CHECK(outer.children[0].kind == Kind::equal);
  CHECK(outer.children[1].kind == Kind::choice);
  CHECK(outer.children[2].text == "z");
}

TEST_CASE("items and members are parsed as children of the expression before them") {
  const SpelledExpression item = parse_spelling("aten::max_pool2d_with_indices(input, [2, 2])[1]");
  CHECK(item.kind == Kind::item);
  CHECK(item.number == 1);
  const SpelledExpression member = parse_spelling("like.shape");
  CHECK(member.kind == Kind::member);
  CHECK(member.children[0].text == "like");
}

TEST_CASE("numbers keep their text, and True and None are constants") {
  CHECK(parse_spelling("-0.5").text == "-0.5");
  CHECK(parse_spelling("True").number == 1);
  CHECK(parse_spelling("None").kind == Kind::none);
}

TEST_CASE("unsupported has a reason, or is one side of a choice") {
  CHECK(parse_spelling("unsupported: a loop nest").text == "a loop nest");
  const SpelledExpression choice = parse_spelling("robust ? unsupported : aten::log(input)");
  CHECK(choice.children[1].kind == Kind::unsupported);
  CHECK(choice.children[2].kind == Kind::call);
}

TEST_CASE("a misspelling is refused with its place") {
  CHECK(mistake("aten::add(left") ==
        "mithril.ParseError[E0731]: the spelling of an op, column 15: expected ')'\n"
        "  spelling : aten::add(left\n"
        "                           ^ expected ')'");
  CHECK(mistake("a ? b").find("column 6: expected ':'") != std::string::npos);
  CHECK(mistake("x y").find("column 3: expected the end") != std::string::npos);
  CHECK(mistake("x[99999999999999999999]").find("expected a whole number") != std::string::npos);
  CHECK(mistake("f(1-e.5)").find("expected a number that a double holds") != std::string::npos);
}

TEST_CASE("a spelling nests at most 100 levels of any kind") {
  const auto around = [](const std::string& open, int times, const std::string& close) {
    std::string text;
    for (int i = 0; i < times; ++i) text += open;
    text += "x";
    for (int i = 0; i < times; ++i) text += close;
    return mistake(text.c_str());
  };
  CHECK(around("[", 99, "]") == "none");
  CHECK(
      around("f(", 200'000, ")")
          .starts_with("mithril.ParseError[E0732]: the spelling of an op, column 201: expected at "
                       "most 100 levels of nesting\n"));
  for (const char* open : {"[", "a == b ? ", "a ? b : "})
    CHECK(around(open, 200'000, open[0] == '[' ? "]" : "").find("E0732") != std::string::npos);
  for (const char* close : {"[0]", ".shape"})
    CHECK(around("", 200'000, close).find("E0732") != std::string::npos);
}

}  // namespace mithril
