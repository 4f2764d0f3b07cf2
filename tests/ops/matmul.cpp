// How the gradients of products are computed: their values are in the table.
#include <doctest/doctest.h>

#include <algorithm>

#include "mithril/grad/differentiate.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

TEST_CASE(
    "the gradient of a weight that is multiplied with a batch is one product, without a sum") {
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float64[2, 3, 4]\n"
      "  input w: float64[4, 5]\n"
      "  y: float64[2, 3, 5] = matmul(left: x, right: w)\n"
      "  output y = y\n"
      "}");
  const Graph whole = differentiate(graph, {.outputs = {"y"}, .wanted = {"w"}});
  const auto count = [&](std::string_view op) {
    return std::count_if(whole.nodes().begin(), whole.nodes().end(),
                         [&](const Node& node) { return node.op->name == op; });
  };
  CHECK(count("matmul") == 2);
  CHECK(count("sum") + count("sum_to") == 0);
  const Value& gradient = whole.value(whole.outputs()[1].value);
  REQUIRE(gradient.dims.size() == 2);
  CHECK(gradient.dims[0].is_constant(4));
  CHECK(gradient.dims[1].is_constant(5));
}

}  // namespace mithril
