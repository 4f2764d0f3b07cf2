// Pruning: text in, text out.
#include <doctest/doctest.h>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/passes.hpp"

using namespace mithril;

TEST_CASE("nodes that no output depends on are removed, and inputs stay") {
  const char* text = R"(graph {
  input x: float32[N]
  input unread: float32[3]
  constant a: float32[] = {1}
  constant b: float32[] = {2}
  lost: float32[N] = add(left: x, right: b)
  more_lost: float32[N] = relu(input: lost)
  y: float32[N] = add(left: x, right: a)
  output y = y
})";
  CHECK(to_string(eliminate_dead_nodes(parse_graph(text))) == R"(graph {
  input x: float32[N]
  input unread: float32[3]
  constant a: float32[] = {1}
  y: float32[N] = add(left: x, right: a)
  output y = y
}
)");
}

TEST_CASE("a node stays for one output of several") {
  const char* text = R"(graph {
  input x: float32[4]
  a: float32[2], b: float32[2] = split(input: x, sizes: (2, 2), axis: 0)
  output b = b
}
)";
  CHECK(to_string(eliminate_dead_nodes(parse_graph(text))) == text);
}
