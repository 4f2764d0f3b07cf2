// Matching infers nodes as facts do.
#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/infer_node.hpp"
#include "mithril/op/registry.hpp"
#include "tests/graph/random_graph.hpp"
#include "tests/table/row_graph.hpp"

using namespace mithril;
using tests::Knowledge;

namespace {

// Counts the nodes of the row; -1 if the row is about an error or about values.
int compare_ways(const OpDef& op, const tests::OpCase& row, Knowledge knowledge) {
  tests::RowGraph made;
  try {
    made = tests::build(op, row, knowledge);
  } catch (const std::exception&) {
    return -1;
  }
  int matched = 0;
  for (const Node& node : made.graph.nodes()) {
    const auto quick = match_node(made.graph, node);
    if (!quick) continue;
    ++matched;
    const auto sure = infer_in_facts(made.graph, node);
    REQUIRE(quick->size() == sure.size());
    for (size_t i = 0; i < sure.size(); ++i) {
      CHECK((*quick)[i].dtype == sure[i].dtype);
      REQUIRE((*quick)[i].ranked);
      REQUIRE(sure[i].ranked);
      CHECK(to_string((*quick)[i].dims) == to_string(sure[i].dims));
    }
  }
  return matched;
}

// add(x, y) of these dims, compared.
bool is_matched(const char* statements) {
  const Graph graph = parse_graph(std::string("graph {") + statements + "}");
  return match_node(graph, graph.nodes().back()).has_value();
}

}  // namespace

TEST_CASE("matching gives the result of facts for every row of the table") {
  int made = 0, matched = 0;
  for (const auto& [name, rows] : tests::all_op_cases()) {
    for (const tests::OpCase& row : rows()) {
      for (const Knowledge knowledge :
           {Knowledge::numbers, Knowledge::shared_symbols, Knowledge::symbols}) {
        const std::string at = std::string(name) + ": " + row.name;
        CAPTURE(at);
        const int nodes = compare_ways(find_op(name), row, knowledge);
        made += nodes >= 0 && knowledge == Knowledge::numbers;
        matched += nodes > 0 && knowledge == Knowledge::numbers;
      }
    }
  }
  CAPTURE(made);
  CHECK(matched > made / 2);
}

TEST_CASE("the ops of gradients are inferred by matching alone") {
  CHECK(is_matched(
      "input x: float32[N, 3] input y: float32[3] z: float32[N, 3] = add(left: x, right: y)"));
  CHECK(is_matched("input x: float32[N, 3] z: float32[N, 3] = multiply(left: x, right: 2.0)"));
  CHECK(is_matched("input x: float32[N, 3] z: bool[N, 3] = less_equal(left: x, right: 0)"));
  CHECK(is_matched(
      "input x: float32[N, 3] z: float32[3, N] = swapaxes(input: x, axis1: -1, axis2: -2)"));
  CHECK(
      is_matched("input x: float32[N, 3] input y: float32[3, M] z: float32[N, M] = matmul(left: x, "
                 "right: y)"));
  CHECK(is_matched(
      "input x: float32[N, 3] input y: float32[3] z: float32[3] = sum_to(input: x, like: y)"));
}

TEST_CASE("sizes that may be equal are inferred with facts") {
  CHECK_FALSE(
      is_matched("input x: float32[N] input y: float32[M] z: float32[K] = add(left: x, right: y)"));
  CHECK_FALSE(
      is_matched("input x: float32[N] input y: float32[4] z: float32[4] = add(left: x, right: y)"));
  CHECK_FALSE(is_matched("input x: float32[...] z: float32[...] = relu(input: x)"));
}

TEST_CASE("contradictions are left to the facts, which name them") {
  CHECK_FALSE(
      is_matched("input x: float32[3] input y: float32[4] z: float32[4] = add(left: x, right: y)"));
  CHECK_FALSE(
      is_matched("input x: float32[3] z: float32[3] = swapaxes(input: x, axis1: 0, axis2: 7)"));
  CHECK_FALSE(is_matched("input x: bool[3] z: bool[3] = relu(input: x)"));
}
