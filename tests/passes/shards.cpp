// Sharded graphs as text, and their exchanges.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "tests/passes/lockstep.hpp"

namespace mithril::tests {
namespace {

std::string sharded_on_last(const char* text, ShardOptions options, int size = 2) {
  options.group = "all";
  options.size = size;
  options.rank = size - 1;
  return to_string(shard(parse_graph(text), options).graph);
}

}  // namespace

TEST_CASE("one process has the same graph without blocks") {
  const Graph graph = parse_graph(
      "graph {\n  input w: float64[4]\n  y: float64[4] = tanh(input: w)\n  output y = y\n}\n");
  const PlacedGraph own = shard(graph, {.input_axes = {0}});
  CHECK(to_string(own.graph) == to_string(graph));
  CHECK(own.collectives.empty());
}

TEST_CASE("columns of a first and rows of a second weight need one exchange") {
  CHECK(sharded_on_last(R"(graph {
  input x: float64[N, 3]
  input v: float64[3, 4]
  input b: float64[4]
  input w: float64[4, 2]
  h: float64[N, 4] = matmul(left: x, right: v)
  a: float64[N, 4] = add(left: h, right: b)
  t: float64[N, 4] = tanh(input: a)
  y: float64[N, 2] = matmul(left: t, right: w)
  z: float64[N, 2] = tanh(input: y)
  output z = z
})",
                        {.input_axes = {{}, 1, {}, 0}}) == R"(graph {
  input x: float64[N, 3]
  input v: float64[3, 2]
  input b: float64[4]
  input w: float64[2, 2]
  h: float64[N, 2] = matmul(left: x, right: v)
  b.block: float64[2] = slice(input: b, starts: (2,), stops: (4,), steps: None, axes: (0,))
  a: float64[N, 2] = add(left: h, right: b.block)
  t: float64[N, 2] = tanh(input: a)
  y.partial: float64[N, 2] = matmul(left: t, right: w)
  y.partial.started: float64[N, 2] = all_reduce_start(inputs: [y.partial], group: "all", reduction: "sum")
  y: float64[N, 2] = all_reduce_wait(inputs: [y.partial.started])
  z: float64[N, 2] = tanh(input: y)
  output z = z
}
)");
}

TEST_CASE("a step on blocks of its memory gathers the parameter alone") {
  CHECK(sharded_on_last(R"(graph {
  input p: float64[4]
  input g: float64[4]
  input m: float64[4]
  a: float64[4] = multiply(left: m, right: 0.9)
  b: float64[4] = multiply(left: g, right: 0.1)
  m.next: float64[4] = add(left: a, right: b)
  p.next: float64[4] = subtract(left: p, right: m.next)
  output p.next = p.next
  output m.next = m.next
})",
                        {.input_axes = {{}, {}, 0}, .output_axes = {{}, 0}}) == R"(graph {
  input p: float64[4]
  input g: float64[4]
  input m: float64[2]
  a: float64[2] = multiply(left: m, right: 0.9)
  g.block: float64[2] = slice(input: g, starts: (2,), stops: (4,), steps: None, axes: (0,))
  b: float64[2] = multiply(left: g.block, right: 0.1)
  m.next: float64[2] = add(left: a, right: b)
  p.block: float64[2] = slice(input: p, starts: (2,), stops: (4,), steps: None, axes: (0,))
  p.next: float64[2] = subtract(left: p.block, right: m.next)
  p.next.whole.partial: float64[4] = pad(input: p.next, pad_width: ((2, 0),), value: -0.0)
  p.next.whole.partial.started: float64[4] = all_reduce_start(inputs: [p.next.whole.partial], group: "all", reduction: "sum")
  p.next.whole: float64[4] = all_reduce_wait(inputs: [p.next.whole.partial.started])
  p.next.copy: float64[4] = buffer(input: p.next.whole)
  output p.next = p.next.copy
  output m.next = m.next
}
)");
}

TEST_CASE("values that are named whole are gathered where they are made") {
  const char* text = R"(graph {
  input x: float64[3, 4]
  input b: float64[4]
  input m: float64[4]
  g: float64[4] = sum(input: x, axis: 0)
  n: float64[4] = add(left: m, right: g)
  c: float64[4] = subtract(left: b, right: n)
  output n = n
  output c = c
})";
  const auto collectives = [&](std::vector<std::string> whole) {
    return shard(parse_graph(text),
                 {.size = 2, .input_axes = {1}, .whole_values = std::move(whole)})
        .collectives.size();
  };
  CHECK(collectives({}) == 2);
  CHECK(collectives({"g"}) == 1);
}

TEST_CASE("a gathered value has the bits of its blocks") {
  const double infinity = INFINITY;
  const Tensor x = Tensor::of(Dims{6}, std::vector<double>{-0.0, 0.0, -infinity, 5e-324, NAN, 1.5});
  const std::vector<Tensor> got =
      run_sharded(parse_graph("graph {\n  input x: float64[6]\n  output x = x\n}"),
                  {.input_axes = {0}}, 3, {x});
  CHECK(std::signbit(got[0].at_as_double(0)));
  CHECK_FALSE(std::signbit(got[0].at_as_double(1)));
  CHECK(got[0].at_as_double(2) == -infinity);
  CHECK(got[0].at_as_double(3) == 5e-324);
  CHECK(std::isnan(got[0].at_as_double(4)));
  CHECK(got[0].at_as_double(5) == 1.5);
}

}  // namespace mithril::tests
