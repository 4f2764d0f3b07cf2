// Passes keep collectives, and their order.
#include <doctest/doctest.h>

#include "mithril/graph/graph.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/recompute.hpp"

namespace mithril {
namespace {

const char* const two_equal = R"(graph {
  constant x: float32[2] = {1, 2}
  s: float32[2] = all_reduce_start(inputs: [x], group: "g", reduction: "sum")
  r: float32[2] = all_reduce_wait(inputs: [s])
  t: float32[2] = all_reduce_start(inputs: [x], group: "g", reduction: "sum")
  u: float32[2] = all_reduce_wait(inputs: [t])
  output r = r
  output u = u
}
)";

}  // namespace

TEST_CASE("passes neither compute, nor merge, nor reorder collectives") {
  CHECK(to_string(run_passes(parse_graph(two_equal))) == two_equal);
  CHECK(to_string(run_passes(parse_graph(two_equal), {.passes = passes_with_fused_attention()})) ==
        two_equal);
}

TEST_CASE("the outputs of a collective have the dtypes and the dims of its inputs") {
  const char* const text = R"(graph {
  input x: float32[N, 2]
  input y: int32[M]
  input z: bool[]
  input f: float64[N + 1]
  a: float32[N, 2], b: int32[M], c: bool[], d: float64[N + 1] = all_reduce_start(inputs: [x, y, z, f], group: "g", reduction: "max")
  e: float32[N, 2], g: int32[M], h: bool[], i: float64[N + 1] = all_reduce_wait(inputs: [a, b, c, d])
  output e = e
  output g = g
  output h = h
  output i = i
}
)";
  const Graph graph = parse_graph(text);
  verify(graph);
  CHECK(to_string(graph) == text);
}

TEST_CASE("a collective is not computed a second time for the gradient") {
  const Graph graph = parse_graph(R"(graph {
  input x: float32[1000]
  input d: float32[]
  a: float32[1000] = exp(input: x)
  s: float32[1000] = all_reduce_start(inputs: [a], group: "g")
  r: float32[1000] = all_reduce_wait(inputs: [s])
  b: float32[1000] = exp(input: r)
  c: float32[1000] = exp(input: b)
  e: float32[1000] = exp(input: c)
  cost: float32[] = sum(input: e)
  g0: float32[1000] = multiply(left: d, right: e)
  g1: float32[1000] = multiply(left: g0, right: c)
  g2: float32[1000] = multiply(left: g1, right: b)
  g3: float32[1000] = multiply(left: g2, right: r)
  g4: float32[1000] = multiply(left: g3, right: a)
  output cost = cost
  output g = g4
})");
  const Graph again = recompute(graph, 1, {1, 3, 5});
  int collectives = 0;
  for (const Node& node : again.nodes()) collectives += node.op->collective ? 1 : 0;
  CHECK(collectives == 2);
}

}  // namespace mithril
