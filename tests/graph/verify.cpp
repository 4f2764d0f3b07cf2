// The rules that verify enforces, each with a graph that breaks it.
#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "tests/graph/random_graph.hpp"

using namespace mithril;

namespace {

std::string broken_rule(const Graph& graph) {
  try {
    verify(graph);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "none";
}

void check_broken(const Graph& graph, std::initializer_list<const char*> parts) {
  const std::string rule = broken_rule(graph);
  for (const char* part : parts) {
    CAPTURE(rule);
    CHECK(rule.find(part) != std::string::npos);
  }
}

// A graph with an input x and y = relu(x).
Graph small_graph(const std::string& statement) {
  return parse_graph("graph { input x: float32[N, 3] " + statement + " }");
}

Value stated(std::string name, std::vector<Dim> dims) {
  return {.name = std::move(name), .dims = std::move(dims)};
}

}  // namespace

TEST_CASE("random graphs are valid") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    CHECK_NOTHROW(verify(tests::random_graph(seed)));
  }
}

TEST_CASE("names of values are unique and not empty") {
  Graph graph;
  graph.add_input(stated("x", {}));
  graph.add_input(stated("x", {}));
  check_broken(graph, {"'x'", "two values have this name"});
  Graph nameless;
  nameless.add_input(stated("", {}));
  check_broken(nameless, {"no name"});
}

TEST_CASE("names of outputs are unique") {
  check_broken(small_graph("output a = x output a = x"), {"output 'a'", "two outputs"});
}

TEST_CASE("a value without a maker is refused") {
  Graph graph;
  graph.add_value(stated("x", {}));
  check_broken(graph, {"value 'x'", "nothing makes it"});
}

TEST_CASE("a value is made once") {
  Graph graph = small_graph("y: float32[N, 3] = relu(input: x)");
  graph.add_node(graph.nodes().front());
  check_broken(graph, {"node 'y' of op relu", "made once"});
}

TEST_CASE("a value is made before it is read") {
  Graph graph;
  const ValueId x = graph.add_input(stated("x", {}));
  const ValueId y = graph.add_value(stated("y", {})), z = graph.add_value(stated("z", {}));
  graph.add_node({&find_op("relu"), {z}, {y}});
  graph.add_node({&find_op("relu"), {x}, {z}});
  check_broken(graph, {"node 'y' of op relu", "reads 'z' before"});
}

TEST_CASE("ids are in range") {
  Graph graph;
  const ValueId y = graph.add_value(stated("y", {}));
  graph.add_node({&find_op("relu"), {ValueId{17}}, {y}});
  check_broken(graph, {"node 'y' of op relu", "no value number 17"});
  Graph output;
  output.add_output("y", ValueId{-1});
  check_broken(output, {"output 'y'", "no value number -1"});
}

TEST_CASE("arguments fit the ports") {
  Graph graph;
  const ValueId x = graph.add_input(stated("x", {}));
  graph.add_node({&find_op("relu"), {x, x}, {graph.add_value(stated("y", {}))}});
  check_broken(graph, {"node 'y' of op relu", "2 arguments do not fit its 1 ports"});
}

TEST_CASE("a port for values takes no tensor") {
  Graph graph;
  const ValueId x = graph.add_input(stated("x", {}));
  graph.add_node({&find_op("cast"), {x, x}, {graph.add_value(stated("y", {}))}});
  check_broken(graph, {"node 'y' of op cast", "port 'dtype' takes no tensor, it got 'x'"});
}

TEST_CASE("a constant must have its stated dims and dtype") {
  Graph graph;
  const ValueId c = graph.add_constant("c", Tensor(DType::float32, {2}));
  graph.restate(c, stated("c", {3}));
  check_broken(graph, {"constant 'c'"});
}

TEST_CASE("stated dims are those that are inferred") {
  check_broken(small_graph("y: float32[N, 4] = relu(input: x)"),
               {"node 'y' of op relu", "states dims [N, 4], inferred are [N, 3]"});
  check_broken(small_graph("input m: float32[M] y: float32[M, 3] = relu(input: x)"),
               {"states dims [M, 3], inferred are [N, 3]"});
  check_broken(small_graph("y: float32[N] = relu(input: x)"), {"inferred are [N, 3]"});
}

TEST_CASE("dims that the arguments do not decide may be known better") {
  const char* statements = "input y: float32[M, 3] z: float32[K, 3] = add(left: x, right: y)";
  CHECK(broken_rule(small_graph(statements)) == "none");
}

TEST_CASE("quotients of sizes may be known to be equal") {
  const auto pooled = [](const char* dims) {
    return parse_graph("graph { input x: float32[M, N] y: float32" + std::string(dims) +
                       " = avg_pool2d(input: x, kernel_size: 2, stride: None, padding: 0, "
                       "dilation: 1) }");
  };
  CHECK(broken_rule(pooled("[M//2, M//2]")) == "none");
  CHECK(broken_rule(pooled("[1, 2]")) == "none");
  check_broken(pooled("[M//2, M//3]"), {"inferred are [M//2, N//2]"});
  check_broken(pooled("[M//2, N]"), {"inferred are [M//2, N//2]"});
}

TEST_CASE("quotients in the dims of an input may be known to be equal") {
  const auto pooled = [](const char* dims) {
    return parse_graph("graph { input x: float32[M, N] input grad: float32[M//2, 1] y: float32" +
                       std::string(dims) +
                       " = avg_pool2d(input: x, kernel_size: 2, stride: None, padding: 0, "
                       "dilation: 1) }");
  };
  CHECK(broken_rule(pooled("[M//2, M//2]")) == "none");
  CHECK(broken_rule(pooled("[N//2, N//2]")) == "none");
  check_broken(pooled("[M//2, M//3]"), {"inferred are [M//2, N//2]"});
}

TEST_CASE("a product of sizes may be known to equal one of its factors") {
  const auto flattened = [](const char* dims) {
    return parse_graph("graph { input x: float32[M, N] input z: float32[K] y: float32" +
                       std::string(dims) + " = flatten(input: x, start_dim: 0, end_dim: -1) }");
  };
  CHECK(broken_rule(flattened("[N]")) == "none");
  CHECK(broken_rule(flattened("[M]")) == "none");
  check_broken(flattened("[K]"), {"inferred are [M*N]"});
}

TEST_CASE("stated dtypes are those that are inferred") {
  check_broken(small_graph("y: float64[N, 3] = relu(input: x)"),
               {"node 'y' of op relu", "states dtype float64, inferred is float32"});
}

TEST_CASE("arguments that contradict the op are named") {
  check_broken(small_graph("input w: float32[4] y: float32[N, 4] = add(left: x, right: w)"),
               {"node 'y' of op add", "its arguments do not fit the op", "ShapeError"});
}
