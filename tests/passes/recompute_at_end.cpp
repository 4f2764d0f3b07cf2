// Recomputes outputs that exchanges depend on after the last exchange.
#include "mithril/passes/placements/recompute_at_end.hpp"

#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/graph.hpp"

namespace mithril {
namespace {

// A step with two moments. The exchange gathers the blocks of the parameter.
const char* const step_of_two_moments = R"(graph {
  input p: float32[8]
  input m: float32[4]
  input v: float32[4]
  input x: float32[8]
  g: float32[4] = slice(input: x, starts: (0,), stops: (4,), axes: (0,))
  m2: float32[4] = add(left: m, right: g)
  s: float32[4] = multiply(left: g, right: g)
  v2: float32[4] = add(left: v, right: s)
  block: float32[4] = divide(numerator: m2, denominator: v2)
  part: float32[8] = pad(input: block, pad_width: ((0, 4),))
  started: float32[8] = all_reduce_start(inputs: [part], group: "threads")
  p2: float32[8] = all_reduce_wait(inputs: [started])
  output p = p2
  output m = m2
  output v = v2
})";

std::string nodes_of(const Graph& graph) {
  const std::string text = to_string(graph);
  const std::string last_input = "input x: float32[8]\n";
  const size_t from = text.find(last_input) + last_input.size();
  return text.substr(from);
}

}  // namespace

TEST_CASE("moments that an exchange depends on are computed once more after it") {
  const Graph graph = recompute_at_end(parse_graph(step_of_two_moments), {{1, 2}});
  verify(graph);
  CHECK(nodes_of(graph) ==
        R"(  g: float32[4] = slice(input: x, starts: (0,), stops: (4,), steps: None, axes: (0,))
  m2: float32[4] = add(left: m, right: g)
  s: float32[4] = multiply(left: g, right: g)
  v2: float32[4] = add(left: v, right: s)
  block: float32[4] = divide(numerator: m2, denominator: v2)
  part: float32[8] = pad(input: block, pad_width: ((0, 4),), value: 0)
  started: float32[8] = all_reduce_start(inputs: [part], group: "threads", reduction: "sum")
  p2: float32[8] = all_reduce_wait(inputs: [started])
  recomputed.m2: float32[4] = add(left: m, right: g)
  recomputed.s: float32[4] = multiply(left: g, right: g)
  recomputed.v2: float32[4] = add(left: v, right: recomputed.s)
  output p = p2
  output m = recomputed.m2
  output v = recomputed.v2
}
)");
}

TEST_CASE("a moment is kept if what it is made of has as many bytes") {
  const Graph graph = parse_graph(step_of_two_moments);
  CHECK(to_string(recompute_at_end(graph, {{1}})) == to_string(graph));
  CHECK(to_string(recompute_at_end(graph, {{1}, {2}})) == to_string(graph));
  CHECK(to_string(recompute_at_end(graph, {})) == to_string(graph));
}

TEST_CASE("an output that no exchange depends on is not recomputed") {
  const Graph graph = parse_graph(R"(graph {
  input m: float32[4]
  input v: float32[4]
  input x: float32[4]
  started: float32[4] = all_reduce_start(inputs: [x], group: "threads")
  g: float32[4] = all_reduce_wait(inputs: [started])
  m2: float32[4] = add(left: m, right: g)
  v2: float32[4] = add(left: v, right: g)
  output m = m2
  output v = v2
})");
  CHECK(to_string(recompute_at_end(graph, {{0, 1}})) == to_string(graph));
}

}  // namespace mithril
