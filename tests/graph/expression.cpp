// Formulas of expressions make nodes, with numbers on either side.
#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/expression.hpp"
#include "mithril/op/op_def.hpp"

using namespace mithril;

TEST_CASE("a number may be the left operand of a formula") {
  Graph graph = parse_graph("graph { input x: float32[3] }");
  const std::string scope = "f";
  const Expression x{&graph, graph.inputs()[0], &scope};
  for (const Expression& made : {2.0 + x, 2.0 - x, 2.0 * x, 2.0 / x, x * 2.0}) {
    CHECK(made.dims().front().constant() == 3);
    CHECK(made.dtype() == DType::float32);
  }
  CHECK(graph.nodes()[1].op->name == "subtract");
  CHECK(std::get<Datum>(graph.nodes()[1].arguments[0]).real() == 2.0);
}
