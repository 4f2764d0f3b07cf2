// Parse errors of graph texts.
#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/graph.hpp"
#include "tests/graph/random_graph.hpp"

using namespace mithril;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_graph(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::parse);
    return error.what();
  }
  return "no error";
}

// The error of a statement on the third line of a graph with an input x.
std::string statement_error(const std::string& statement) {
  return error_of("graph {\n  input x: float32[N]\n  " + statement + "\n}\n");
}

void check_mentions(const std::string& error, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    CAPTURE(error);
    CHECK(error.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("an error shows the line, the column, the expected text and the text found") {
  CHECK(error_of("graph {\n  input x float32[2]\n}") ==
        "mithril.ParseError[E0701]: graph text, line 2, column 11: expected ':', got 'float32'\n"
        "  line 2 :   input x float32[2]\n"
        "                     ^^^^^^^ expected ':'");
}

TEST_CASE("an unknown op gives the nearest names") {
  check_mentions(statement_error("y: float32[N] = rellu(input: x)"),
                 {"E0702", "line 3, column 19", "expected an op that exists, got 'rellu'",
                  "did you mean 'relu'"});
}

TEST_CASE("an unknown dtype gives the nearest names") {
  check_mentions(statement_error("y: flaot32[N] = relu(input: x)"),
                 {"E0702", "a dtype", "'float32'"});
}

TEST_CASE("an unknown port gives the nearest names") {
  check_mentions(statement_error("y: float32[N] = relu(inptu: x)"),
                 {"E0702", "port of op 'relu'", "'input'"});
}

TEST_CASE("an unknown value gives the nearest names") {
  check_mentions(statement_error("output y = xs"), {"E0702", "a value", "got 'xs'"});
  check_mentions(statement_error("y: float32[N] = relu(input: z.output)"), {"E0702", "a value"});
}

TEST_CASE("an unknown size is not made inside an argument") {
  check_mentions(statement_error("y: float32[N] = cast(input: x, dtype: 2*M)"),
                 {"E0702", "a size", "'M'"});
}

TEST_CASE("a name is taken once") {
  check_mentions(statement_error("x: float32[N] = relu(input: x)"), {"E0703", "line 3, column 3"});
  check_mentions(statement_error("size N"), {"E0703"});
  check_mentions(statement_error("y: float32[N] = relu(input: x, input: x)"),
                 {"E0703", "each port once"});
}

TEST_CASE("the number of elements has to fit") {
  check_mentions(statement_error("constant c: float32[3] = {1, 2}"),
                 {"E0704", "3 elements", "not 2"});
  check_mentions(statement_error("constant c: float32[1000000, 1000000] = {1}"), {"E0704"});
  check_mentions(statement_error("constant c: float32[N] = {1}"), {"E0701", "numbers as its dims"});
}

TEST_CASE("the number of outputs has to fit") {
  check_mentions(statement_error("y: float32[N], z: float32[N] = relu(input: x)"),
                 {"E0704", "1 outputs", "not 2"});
}

TEST_CASE("elements have to fit the dtype") {
  check_mentions(statement_error("constant c: int32[1] = {3000000000}"), {"E0705", "dtype int32"});
  check_mentions(statement_error("constant c: bool[1] = {1}"), {"E0705", "dtype bool"});
  check_mentions(statement_error("constant c: int64[1] = {0.5}"), {"E0705", "dtype int64"});
}

TEST_CASE("a dim is not divided by zero and fits 64 bits") {
  check_mentions(statement_error("input y: float32[N//0]"), {"E0705", "not 0"});
  check_mentions(statement_error("input y: float32[99999999999999999999]"), {"E0705", "64 bits"});
}

TEST_CASE("a port without default has to be given") {
  check_mentions(statement_error("y: float32[N] = relu()"),
                 {"E0701", "port 'input', which has no default"});
}

TEST_CASE("deep nesting ends in an error") {
  check_mentions(
      statement_error("y: float32[N] = cast(input: x, dtype: " + std::string(1000000, '(')),
      {"E0706"});
  check_mentions(statement_error("input y: float32[" + std::string(1000000, '(')), {"E0706"});
  check_mentions(statement_error("input y: float32[" + std::string(1000000, '-')), {"E0706"});
}

TEST_CASE("open braces, brackets and quotes must be closed") {
  check_mentions(error_of("graph {"), {"E0701", "got the end of the text"});
  check_mentions(statement_error("output `y = x"), {"E0701", "on the same line"});
  check_mentions(statement_error("output `\\q` = x"), {"E0701", "after a backslash"});
  check_mentions(error_of("graph { } }"), {"E0701", "expected the end of the text"});
}

TEST_CASE("a very long line is cut around the error") {
  const std::string error = statement_error("input " + std::string(500, 'y') + ": float32[2");
  check_mentions(error, {"line 4, column 1"});
  CHECK(statement_error("constant c: float32[500] = {" + std::string(900, '1') + " oops").size() <
        600);
}

TEST_CASE("damaged text raises only parse errors") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::string text = to_string(tests::random_graph(seed));
    for (size_t at = seed % 7; at < text.size(); at += 7) {
      std::string damaged = text;
      damaged[at] = "()[]{}:,=+-*/`\"1a. "[at % 19];
      try {
        parse_graph(damaged);
      } catch (const Error&) {
      }
      try {
        parse_graph(text.substr(0, at));
      } catch (const Error&) {
      }
    }
  }
}

TEST_CASE("an error in a graph text shows its line and marks the place") {
  CHECK(statement_error("y: float32[N] = rellu(input: x)") ==
        "mithril.ParseError[E0702]: graph text, line 3, column 19: expected an op that exists, got "
        "'rellu'\n"
        "  line 3 :   y: float32[N] = rellu(input: x)\n"
        "                             ^^^^^ expected an op that exists\n"
        "  help: did you mean 'relu'?");
  CHECK(statement_error("size N") ==
        "mithril.ParseError[E0703]: graph text, line 3, column 8: expected a name that is not "
        "declared yet, got 'N'\n"
        "  line 3 :   size N\n"
        "                  ^ expected a name that is not declared yet");
  CHECK(statement_error("constant c: float32[3] = {1, 2}") ==
        "mithril.ParseError[E0704]: graph text, line 3, column 33: expected 3 elements before "
        "this, not 2, got '}'\n"
        "  line 3 :   constant c: float32[3] = {1, 2}\n"
        "                                           ^ expected 3 elements before this, not 2");
  CHECK(statement_error("constant c: int32[1] = {3000000000}") ==
        "mithril.ParseError[E0705]: graph text, line 3, column 27: expected an element of dtype "
        "int32, got '3000000000'\n"
        "  line 3 :   constant c: int32[1] = {3000000000}\n"
        "                                     ^^^^^^^^^^ expected an element of dtype int32");
  CHECK(statement_error("input y: float32[" + std::string(300, '(')) ==
        "mithril.ParseError[E0706]: graph text, line 3, column 120: expected at most 100 levels of "
        "parentheses, got '('\n"
        "  line 3 : "
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n"
        "                                                   ^ expected at most 100 levels of "
        "parentheses");
}
