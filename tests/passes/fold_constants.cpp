// Folding of constants: text in, text out.
#include <doctest/doctest.h>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/passes.hpp"

using namespace mithril;

namespace {

std::string folded(const char* text) { return to_string(fold_constants(parse_graph(text))); }

}  // namespace

TEST_CASE("nodes that depend on constants alone are folded") {
  CHECK(folded(R"(graph {
  input x: float32[N, 2]
  constant a: float32[2] = {1, 2}
  constant b: float32[2] = {3, 5}
  sum: float32[2] = add(left: a, right: b)
  twice: float32[2] = multiply(left: sum, right: 2.0)
  y: float32[N, 2] = add(left: x, right: twice)
  output y = y
})") == R"(graph {
  input x: float32[N, 2]
  constant twice: float32[2] = {8, 14}
  y: float32[N, 2] = add(left: x, right: twice)
  output y = y
}
)");
}

TEST_CASE("an output may become a constant") {
  CHECK(folded(R"(graph {
  constant a: int64[] = {3}
  b: int64[] = square(input: a)
  output b = b
})") == R"(graph {
  constant b: int64[] = {9}
  output b = b
}
)");
}

TEST_CASE("a large result of small constants is not folded") {
  const char* text = R"(graph {
  constant a: float32[] = {0}
  constant b: float32[600, 600] = {)";
  std::string elements = "0";
  for (int i = 1; i < 600 * 600; ++i) elements += ", 0";
  const std::string read = text + elements + R"(}
  c: float32[600, 600] = add(left: a, right: b)
  output c = c
})";
  CHECK(fold_constants(parse_graph(read)).nodes().empty());  // as large as its inputs
  CHECK(fold_constants(parse_graph(R"(graph {
  constant a: float32[600, 1] = {)" +
                                   elements.substr(0, 3 * 600 - 2) + R"(}
  constant b: float32[1, 600] = {)" +
                                   elements.substr(0, 3 * 600 - 2) + R"(}
  c: float32[600, 600] = add(left: a, right: b)
  output c = c
})"))
            .nodes()
            .size() == 1);
}

TEST_CASE("a node whose evaluation fails is not folded, and fails when it runs") {
  const char* text = R"(graph {
  constant a: int64[] = {3}
  constant zero: int64[] = {0}
  q: int64[] = floor_divide(numerator: a, denominator: zero)
  output q = q
}
)";
  CHECK(folded(text) == text);
}

TEST_CASE("values with sizes that are not known are not folded") {
  const char* text = R"(graph {
  constant a: float32[1] = {3}
  b: float32[n] = broadcast_to(input: a, shape: (n,))
  output b = b
}
)";
  CHECK(folded(text) == text);
}
