// Choosing between training and inference: text in, text out.
#include "mithril/passes/settle_mode.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace mithril;

namespace {

std::string settled(const std::string& text, bool inference) {
  const Graph graph = settle_mode(parse_graph(text), inference);
  verify(graph);
  return to_string(graph);
}

const std::string both = R"(graph {
  input x: float32[N]
  a: float32[N] = relu(input: x)
  b: float32[N] = exp(input: x)
  c: float32[N] = negate(input: b)
  y: float32[N] = by_mode(training: a, inference: c, is_inference: None)
  z: float32[N] = sin(input: y)
  output z = z
})";

}  // namespace

TEST_CASE("nodes of the other mode are removed, and the chosen value takes over the name") {
  CHECK(settled(both, false) == to_string(parse_graph(R"(graph {
  input x: float32[N]
  y: float32[N] = relu(input: x)
  z: float32[N] = sin(input: y)
  output z = z
})")));
  CHECK(settled(both, true) == to_string(parse_graph(R"(graph {
  input x: float32[N]
  b: float32[N] = exp(input: x)
  y: float32[N] = negate(input: b)
  z: float32[N] = sin(input: y)
  output z = z
})")));
}

TEST_CASE("a fixed mode does not depend on the compile") {
  std::string fixed = both;
  fixed.replace(fixed.find("None"), 4, "True");
  CHECK(settled(fixed, false) == settled(both, true));
  fixed.replace(fixed.find("True"), 4, "False");
  CHECK(settled(fixed, true) == settled(both, false));
}

TEST_CASE("a value with other readers keeps its name, and unread nodes stay") {
  CHECK(settled(R"(graph {
  input x: float32[N]
  a: float32[N] = relu(input: x)
  unread: float32[N] = exp(input: x)
  inner: float32[N] = by_mode(training: unread, inference: x, is_inference: None)
  y: float32[N] = by_mode(training: a, inference: inner, is_inference: None)
  output y = y
  output a = a
})",
                true) == to_string(parse_graph(R"(graph {
  input x: float32[N]
  a: float32[N] = relu(input: x)
  output y = x
  output a = a
})")));
  const std::string aside = R"(graph {
  input x: float32[N]
  a: float32[N] = relu(input: x)
  unread: float32[N] = exp(input: a)
  y: float32[N] = by_mode(training: a, inference: x, is_inference: None)
  output y = y
})";
  CHECK(settled(aside, false) == to_string(parse_graph(R"(graph {
  input x: float32[N]
  a: float32[N] = relu(input: x)
  unread: float32[N] = exp(input: a)
  output y = a
})")));
}

TEST_CASE("a graph without modes does not change") {
  const Graph graph = parse_graph("graph {\n  input x: float32[N]\n  output y = x\n}");
  CHECK_FALSE(depends_on_mode(graph));
  CHECK(settle_mode(graph, true) == graph);
}
