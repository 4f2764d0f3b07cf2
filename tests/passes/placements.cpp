// Placed graphs as text, their collectives, and what cannot be placed.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/op_def.hpp"
#include "tests/passes/lockstep.hpp"

namespace mithril::tests {
namespace {

constexpr const char* linear_cost = R"(graph {
  input x: float64[N, 3]
  input w: float64[3, 2]
  y: float64[N, 2] = matmul(left: x, right: w)
  cost: float64[] = mean(input: y)
  output cost = cost
})";

Graph gradient_of_cost(const char* text, const std::vector<std::string>& wanted) {
  return differentiate(parse_graph(text), {.outputs = {"cost"}, .wanted = wanted});
}

PlacedGraph placed_on_last(const Graph& graph, int size, std::vector<bool> sharded = {true}) {
  return place(
      graph,
      {.group = "all", .rank = size - 1, .size = size, .sharded_inputs = std::move(sharded)});
}

std::string refusal(const std::string& text, const std::vector<bool>& sharded = {true}) {
  try {
    place(parse_graph(text), {.size = 2, .sharded_inputs = sharded});
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "none";
}

// The names of the ops of collectives, with the values that they read.
std::vector<std::string> exchanges(const Graph& graph) {
  std::vector<std::string> found;
  for (const Node& node : graph.nodes()) {
    if (!node.op->name.starts_with("all_reduce")) continue;
    std::string text = node.op->name;
    for (size_t i = 0; i < node.outputs.size(); ++i)
      text += " " + graph.value(std::get<ValueId>(node.arguments[i])).name;
    found.push_back(std::move(text));
  }
  return found;
}

}  // namespace

TEST_CASE("one process has the same graph") {
  const Graph graph = gradient_of_cost(linear_cost, {"w"});
  const PlacedGraph placed = placed_on_last(graph, 1);
  CHECK(to_string(placed.graph) == to_string(graph));
  CHECK(placed.collectives.empty());
  CHECK(placed.outputs == std::vector<Placement>(2));
}

TEST_CASE("rows and sums of a forward graph") {
  const PlacedGraph placed = placed_on_last(parse_graph(linear_cost), 2);
  CHECK(to_string(placed.graph) == R"(graph {
  input x: float64[N, 3]
  input w: float64[3, 2]
  constant rows.own: float64[2] = {0, 1}
  rows.multiply_0: float64[2] = multiply(left: rows.own, right: N)
  rows.multiply_0.started: float64[2] = all_reduce_start(inputs: [rows.multiply_0], group: "all", reduction: "sum")
  y: float64[N, 2] = matmul(left: x, right: w)
  statistics.cost.sum_1: float64[] = sum(input: y, axis: None, keepdim: False)
  rows.counts_0: float64[2] = all_reduce_wait(inputs: [rows.multiply_0.started])
  rows.sum_5: float64[] = sum(input: rows.counts_0, axis: None, keepdim: False)
  rows.multiply_6: float64[] = multiply(left: rows.sum_5, right: 2)
  cost.partial: float64[] = divide(numerator: statistics.cost.sum_1, denominator: rows.multiply_6)
  cost.partial.started: float64[] = all_reduce_start(inputs: [cost.partial], group: "all", reduction: "sum")
  cost: float64[] = all_reduce_wait(inputs: [cost.partial.started])
  output cost = cost
}
)");
  CHECK(placed.inputs == std::vector{Placement::sharded(0), Placement{}});
}

TEST_CASE("processes of every group have the same exchanges in the same order") {
  const Graph graph = gradient_of_cost(linear_cost, {"w"});
  for (int size = 2; size <= 8; ++size) {
    const std::vector<PlacedGraph> placed =
        place_all(graph, {.group = "all", .sharded_inputs = {true}}, size);
    for (const PlacedGraph& own : placed) {
      verify(own.graph);
      CHECK(exchanges(own.graph) == exchanges(placed.front().graph));
      CHECK(own.collectives.size() == 3);
    }
  }
}

TEST_CASE("a bucket holds as many values as fit") {
  const Graph graph = gradient_of_cost(R"(graph {
    input x: float64[N, 3]
    input v: float64[3, 3]
    input w: float64[3, 3]
    h: float64[N, 3] = matmul(left: x, right: v)
    a: float64[N, 3] = tanh(input: h)
    y: float64[N, 3] = matmul(left: a, right: w)
    cost: float64[] = sum(input: y)
    output cost = cost
  })",
                                       {"v", "w"});
  const auto buckets = [&](int64_t bytes) {
    std::vector<size_t> found;
    const PlacedGraph placed =
        place(graph, {.size = 2, .sharded_inputs = {true}, .bucket_bytes = bytes});
    for (const Collective& collective : placed.collectives) found.push_back(collective.bucket);
    return found;
  };
  CHECK(buckets(1000) == std::vector<size_t>{0, 0, 0});
  CHECK(buckets(8 + 72) == std::vector<size_t>{0, 0, 1});
  CHECK(buckets(1) == std::vector<size_t>{0, 1, 2});
}

TEST_CASE("what cannot be placed is refused with its path") {
  CHECK(refusal("graph {\n input x: float32[N, 2]\n y: float32[N, 2] = cumsum(input: x, axis: 0)\n"
                " output y = y\n}") ==
        "mithril.StateError[E0950]: y: cumsum mixes the rows of a batch that 2 processes share");
  CHECK(refusal("graph {\n input x: float32[N, 2]\n input key: int64[]\n"
                " t: float32[2, N] = transpose(input: x, axes: (1, 0))\n"
                " r: float32[2*N] = reshape(input: t, shape: (-1,))\n"
                " u: float32[2*N] = random_uniform(like: r, key: key)\n"
                " y: float32[2*N] = add(left: r, right: u)\n output y = y\n}") ==
        "mithril.StateError[E0950]: u: random_uniform mixes the rows of a batch that 2 processes "
        "share");
  CHECK(refusal("graph {\n input x: float32[N, 1]\n"
                " y: float32[N, N] = broadcast_to(input: x, shape: (N, N))\n output y = y\n}") ==
        "mithril.StateError[E0950]: y: broadcast_to mixes the rows of a batch that 2 processes "
        "share");
  CHECK(refusal("graph {\n input x: float32[4, 2]\n y: float32[4, 2] = tanh(input: x)\n"
                " output y = y\n}") ==
        "mithril.StateError[E0951]: x: the first axis of 'x' does not have an open size, so "
        "processes cannot "
        "share its rows");
  CHECK(refusal("graph {\n input x: float32[N]\n input w: float32[...]\n"
                " y: float32[...] = tanh(input: w)\n output y = y\n}") ==
        "mithril.StateError[E0952]: w: the rank of 'w' is not known");
  CHECK(refusal("graph {\n input x: float32[N, 2]\n y: int64[2] = full(shape: 2, fill_value: N)\n"
                " output y = y\n output x = x\n}") ==
        "mithril.StateError[E0953]: y: full reads a number of rows at port 'fill_value', and each "
        "process "
        "has some rows only");
  CHECK(refusal("graph {\n input x: float32[N, 2]\n y: float32[N, 2] = multiply(left: x, right: "
                "N//2)\n output y = y\n}") ==
        "mithril.StateError[E0953]: y: the number N//2 does not grow evenly with the rows of a "
        "batch that "
        "processes share");
  CHECK(refusal("graph {\n input x: float32[N, 2]\n y: int64[N] = arange(stop: N)\n"
                " z: int64[N] = add(left: y, right: 1)\n output z = z\n output x = x\n}")
            .starts_with("mithril.StateError[E0950]: z: add mixes the rows"));
}

}  // namespace mithril::tests
