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

TEST_CASE("items and members follow what they are of") {
  const SpelledExpression item = parse_spelling("aten::max_pool2d_with_indices(input, [2, 2])[1]");
  CHECK(item.kind == Kind::item);
  CHECK(item.number == 1);
  const SpelledExpression member = parse_spelling("like.shape");
  CHECK(member.kind == Kind::member);
  CHECK(member.children[0].text == "like");
}

TEST_CASE("numbers keep their text, words their meaning") {
  CHECK(parse_spelling("-0.5").text == "-0.5");
  CHECK(parse_spelling("True").number == 1);
  CHECK(parse_spelling("None").kind == Kind::none);
}

TEST_CASE("what a target lacks says why, or stands in a choice") {
  CHECK(parse_spelling("unsupported: a loop nest").text == "a loop nest");
  const SpelledExpression choice = parse_spelling("robust ? unsupported : aten::log(input)");
  CHECK(choice.children[1].kind == Kind::unsupported);
  CHECK(choice.children[2].kind == Kind::call);
}

TEST_CASE("a misspelling says where") {
  CHECK(mistake("aten::add(left").find("a ')' is missing at 14") != std::string::npos);
  CHECK(mistake("a ? b").find("a ':' is missing") != std::string::npos);
  CHECK(mistake("x y").find("something is left over at 2") != std::string::npos);
}

}  // namespace mithril
