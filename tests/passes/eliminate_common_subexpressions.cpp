// Common subexpression elimination: text in, text out.
#include <doctest/doctest.h>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/passes.hpp"

using namespace mithril;

namespace {

std::string merged(const char* text) {
  return to_string(eliminate_common_subexpressions(parse_graph(text)));
}

}  // namespace

TEST_CASE("equal nodes and their equal readers are merged") {
  CHECK(merged(R"(graph {
  input x: float32[N]
  a: float32[N] = add(left: x, right: 1.0)
  b: float32[N] = add(left: x, right: 1.0)
  c: float32[N] = relu(input: a)
  d: float32[N] = relu(input: b)
  e: float32[N] = multiply(left: c, right: d)
  output e = e
  output d = d
})") == R"(graph {
  input x: float32[N]
  a: float32[N] = add(left: x, right: 1.0)
  c: float32[N] = relu(input: a)
  e: float32[N] = multiply(left: c, right: c)
  output e = e
  output d = c
}
)");
}

TEST_CASE("nodes with other arguments stay") {
  const char* text = R"(graph {
  input x: float32[N, N]
  a: float32[N, N] = divide(numerator: x, denominator: 0.0)
  b: float32[N, N] = divide(numerator: x, denominator: -0.0)
  c: float32[N, N] = divide(numerator: x, denominator: 0)
  d: float32[N, N] = multiply(left: x, right: 0.0)
  e: float32[N, N] = swapaxes(input: x, axis1: 0, axis2: 1)
  f: float32[N, N] = swapaxes(input: x, axis1: 1, axis2: 0)
  output a = a
  output b = b
  output c = c
  output d = d
  output e = e
  output f = f
}
)";
  CHECK(merged(text) == text);
}

TEST_CASE("equal constants become one") {
  CHECK(merged(R"(graph {
  constant a: float32[2] = {1, 2}
  constant b: float32[2] = {1, 2}
  constant c: float32[2] = {1, 3}
  constant d: int32[2] = {1, 2}
  constant e: float32[1, 2] = {1, 2}
  output a = a
  output b = b
  output c = c
  output d = d
  output e = e
})") == R"(graph {
  constant a: float32[2] = {1, 2}
  constant c: float32[2] = {1, 3}
  constant d: int32[2] = {1, 2}
  constant e: float32[1, 2] = {1, 2}
  output a = a
  output b = a
  output c = c
  output d = d
  output e = e
}
)");
}

TEST_CASE("equal nodes with several outputs are merged") {
  CHECK(merged(R"(graph {
  input x: float32[4]
  a: float32[2], b: float32[2] = split(input: x, sizes: (2, 2), axis: 0)
  c: float32[2], d: float32[2] = split(input: x, sizes: (2, 2), axis: 0)
  y: float32[2] = add(left: a, right: d)
  output y = y
})") == R"(graph {
  input x: float32[4]
  a: float32[2], b: float32[2] = split(input: x, sizes: (2, 2), axis: 0)
  y: float32[2] = add(left: a, right: b)
  output y = y
}
)");
}
