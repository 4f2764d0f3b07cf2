// The gradient of a step is placed, and its update stays.
#include "mithril/passes/placements/place_beginning.hpp"

#include <doctest/doctest.h>

#include "mithril/passes/placements/place.hpp"

namespace mithril {
namespace {

Graph step_with(const std::string& update) {
  return parse_graph(R"(graph {
  input w: float32[3]
  input x: float32[N, 3]
  g: float32[3] = sum(input: x, axis: 0)
  input m: float32[3]
)" + update + "}");
}

}  // namespace

TEST_CASE("the update of a step reads whole gradients") {
  const Graph graph = step_with(R"(
  m2: float32[3] = maximum(left: m, right: g)
  s: float32[3] = multiply(left: g, right: m2)
  w2: float32[3] = subtract(left: w, right: s)
  output w = w2
  output m = m2
)");
  for (int rank = 0; rank < 2; ++rank) {
    const PlacementOptions options{
        .group = "threads", .rank = rank, .size = 2, .sharded_inputs = {false, true}};
    const auto placed = place_beginning(graph, {.values = 3, .nodes = 1}, options);
    REQUIRE(placed);
    verify(*placed);
    CHECK(to_string(*placed) == to_string(place(graph, options).graph));
  }
}

TEST_CASE("a step whose update reads rows has no such beginning") {
  const Graph graph = step_with(R"(
  y: float32[N, 3] = exp(input: x)
  h: float32[3] = sum(input: y, axis: 0)
  w2: float32[3] = subtract(left: w, right: h)
  output w = w2
  output m = g
)");
  const PlacementOptions options{.group = "threads", .size = 2, .sharded_inputs = {false, true}};
  CHECK(!place_beginning(graph, {.values = 5, .nodes = 2}, options));  // y
  CHECK(!place_beginning(graph, {.values = 3, .nodes = 1}, options));  // x
}

}  // namespace mithril
