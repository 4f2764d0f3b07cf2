// The text that the guarded parse accepts, and each of its errors.
#include "mithril/json/guarded_parse.hpp"

#include <doctest/doctest.h>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

std::string refusal(std::string_view text, const ParseLimits& limits = {}) {
  try {
    guarded_parse(text, limits);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "nothing was raised";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("JSON text becomes a tree that keeps ints, floats and the order of fields") {
  const Json json =
      guarded_parse(R"({"b": [1, 2.0, -3e2], "a": {"c": null, "d": true}, "e": "ü"})");
  const Json expected = Json::Object{{"b", Json::Array{1, 2.0, -300.0}},
                                     {"a", Json::Object{{"c", nullptr}, {"d", true}}},
                                     {"e", "ü"}};
  CHECK(json == expected);
  CHECK(to_text(json) == R"({"b": [1, 2.0, -300.0], "a": {"c": null, "d": true}, "e": "ü"})");
}

TEST_CASE("a long tree is written in indented lines that parse to the same tree") {
  Json::Object fields;
  for (int i = 0; i < 9; ++i)
    fields.emplace_back("field_" + std::to_string(i), Json::Array{i, 0.5});
  const Json json(Json::Object{{"all", Json(fields)}, {"one", fields.front().second}});
  CHECK(to_text(json).starts_with("{\n  \"all\": {\n    \"field_0\": [0, 0.5],\n"));
  CHECK(guarded_parse(to_text(json)) == json);
}

TEST_CASE("the largest numbers are read as they are") {
  CHECK(guarded_parse("9223372036854775807") == Json(INT64_MAX));
  CHECK(guarded_parse("-9223372036854775808") == Json(INT64_MIN));
  CHECK(guarded_parse("1.7976931348623157e308") == Json(1.7976931348623157e308));
}

TEST_CASE("a text that is not JSON is refused with line and column") {
  CHECK(
      refusal("{\"name\":\n  Relu}") ==
      "mithril.ParseError[E0720]: the text is not JSON\n"
      "  at    : line 2, column 3\n"
      "  found : syntax error while parsing value - invalid literal; last read: '\"name\":<U+000A>"
      "  R'");
  CHECK(refusal("").starts_with("mithril.ParseError[E0720]: the text is not JSON"));
  CHECK(refusal("{} {}").starts_with("mithril.ParseError[E0720]: the text is not JSON"));
  CHECK(refusal("[NaN]").starts_with("mithril.ParseError[E0720]: the text is not JSON"));
  CHECK(refusal("[Infinity]").starts_with("mithril.ParseError[E0720]: the text is not JSON"));
}

TEST_CASE("nesting has a limit, so that no text overflows the stack") {
  CHECK(refusal("[[{\"a\": [1]}]]", {.depth = 3}) ==
        "mithril.ParseError[E0721]: /0/0/a/...: arrays and objects are nested too deep\n"
        "  expected : at most 3 levels");
  CHECK(guarded_parse(repeated("[", 256) + repeated("]", 256)) != Json());
  CHECK(refusal(repeated("[", 1'000'000)) ==
        "mithril.ParseError[E0721]: /0/0/0/0/0/0/0/0/...: arrays and objects are nested too deep\n"
        "  expected : at most 256 levels");
}

TEST_CASE("text has a limit") {
  CHECK(refusal("[1, 2, 3]", {.bytes = 8}) ==
        "mithril.ParseError[E0722]: the text is too long\n"
        "  expected : at most 8 bytes\n"
        "  got      : 9");
}

TEST_CASE("a field that stands twice is refused") {
  CHECK(refusal(R"({"a": {"b/c": [{"x": 1, "y": 2, "x": 3}]}})") ==
        "mithril.ParseError[E0723]: /a/b~1c/0: the field 'x' is given twice\n"
        "  help: give each field of an object its own name");
  std::string many = "{";
  for (int i = 0; i < 50; ++i) many += "\"f" + std::to_string(i) + "\": 0, ";
  CHECK(refusal(many + "\"f7\": 1}") ==
        "mithril.ParseError[E0723]: /: the field 'f7' is given twice\n"
        "  help: give each field of an object its own name");
}

TEST_CASE("a number that no int or float holds is refused") {
  CHECK(refusal(R"({"a": [0, 9223372036854775808]})") ==
        "mithril.ParseError[E0724]: /a/1: the number 9223372036854775808 is out of range\n"
        "  expected : an integer of 64 bits, or a finite float");
  CHECK(refusal(R"({"a": 100000000000000000000})") ==
        "mithril.ParseError[E0724]: /a: the number 100000000000000000000 is out of range\n"
        "  expected : an integer of 64 bits, or a finite float");
  CHECK(refusal("[-1e999]") ==
        "mithril.ParseError[E0724]: /0: the number -1e999 is out of range\n"
        "  expected : an integer of 64 bits, or a finite float");
}

TEST_CASE("text that is not UTF-8 is refused") {
  CHECK(refusal("[\"\xC3\x28\"]") ==
        "mithril.ParseError[E0725]: the text is not UTF-8\n"
        "  at : line 1, column 4");
}

TEST_CASE("a value without a JSON form is not written") {
  CHECK_THROWS_WITH(static_cast<void>(to_text(Json("\xC3\x28"))),
                    "mithril.ValueError[E0420]: a text that is not UTF-8 has no JSON form");
  CHECK_THROWS_WITH(static_cast<void>(to_text(Json(1e308 * 10))),
                    "mithril.ValueError[E0420]: a number that is not finite has no JSON form");
}

}  // namespace mithril
