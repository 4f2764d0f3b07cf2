// The text form of graphs, read and written.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "tests/graph/random_graph.hpp"

using namespace mithril;

namespace {

Value stated_as(std::string name, std::vector<Dim> dims, DType dtype = DType::float32) {
  return {.name = std::move(name), .dims = std::move(dims), .dtype = dtype};
}

void check_round_trip(const Graph& graph) {
  const std::string text = to_string(graph);
  const Graph again = parse_graph(text);
  CHECK(to_string(again) == text);
  CHECK(again == graph);
}

void check_round_trip(const std::string& text) { CHECK(to_string(parse_graph(text)) == text); }

}  // namespace

TEST_CASE("a graph is written line by line and read back") {
  check_round_trip(R"(graph {
  input image: float32[N, 1, 8]
  constant shift: float32[2, 1] = {1, -0.5}
  add.output: float32[N, 2, 8] = add(left: image, right: shift)
  relu.output: float32[N, 2, 8] = relu(input: add.output)
  concat.output: float32[2*N, 2, 8] = concat(input: [add.output, relu.output], axis: 0)
  output logits = relu.output
  output both = concat.output
}
)");
}

TEST_CASE("every kind of argument is written and read back") {
  Graph graph;
  const Dim n(graph.facts()->symbol("N")), k(graph.facts()->symbol("k", false));
  const ValueId x = graph.add_input(stated_as("x", {n}));
  const Datum data[] = {Datum(),
                        Datum(true),
                        Datum(-3),
                        Datum(n + 1),
                        Datum(k),
                        Datum(0.1),
                        Datum(-1.0),
                        Datum(1e300),
                        Datum("a \"b\"\n"),
                        Datum(DType::bfloat16),
                        Datum(Ellipsis{}),
                        Datum(Tuple{}),
                        Datum(Tuple{1}),
                        Datum(Tuple{Datum(floor_divide(n + 1, 2) * 3), Datum(Tuple{2, 3})}),
                        Datum(mithril::Slice{Datum(1), Datum(), Datum(-1)}),
                        Datum(std::numeric_limits<double>::infinity()),
                        Datum(-std::numeric_limits<double>::quiet_NaN())};
  for (const Datum& datum : data) {
    // The text does not depend on whether the op accepts the value.
    Node node{&find_op("cast"), {x, datum}, {}};
    node.outputs.push_back(
        graph.add_value(stated_as("y" + std::to_string(graph.nodes().size()), {n})));
    graph.add_node(std::move(node));
  }
  check_round_trip(graph);
}

TEST_CASE_TEMPLATE("elements of floats are read back to the bit", T, float, double, float16,
                   bfloat16) {
  std::vector<T> elements;
  for (const double x : {0.0, -0.0, 0.1, 1.0 / 3, 1e-42, 65504.0, 3e38, 1e300, 5e-324}) {
    elements.push_back(static_cast<T>(x));
    elements.push_back(static_cast<T>(-x));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  elements.push_back(static_cast<T>(nan));
  elements.push_back(static_cast<T>(std::copysign(nan, -1.0)));
  Graph graph;
  graph.add_constant("c", Tensor::of<T>({static_cast<int64_t>(elements.size())}, elements));
  check_round_trip(graph);
}

TEST_CASE("elements of ints and bools are read back") {
  Graph graph;
  graph.add_constant("a", Tensor::of<bool>({1, 2}, {true, false}));
  graph.add_constant("b", Tensor::of<int32_t>({2}, {INT32_MIN, INT32_MAX}));
  graph.add_constant("c", Tensor::of<int64_t>({2}, {INT64_MIN, INT64_MAX}));
  graph.add_constant("d", Tensor::of<float>({0, 3}, {}));
  graph.add_constant("e", Tensor::scalar(2.5));
  check_round_trip(graph);
}

TEST_CASE("names that are not plain are quoted") {
  Graph graph;
  for (const char* name : {"a b", "1", "x..y", "`", "None", "float32", "Größe", "line\nbreak",
                           "\x01\x7f", "input", "output", "graph", "block.0.fc"}) {
    const ValueId x = graph.add_input(stated_as(name, {}));
    graph.add(find_op("relu"), {x}, std::string("relu of ") + name);
    graph.add_output(name, x);
  }
  check_round_trip(graph);
}

TEST_CASE("the text of graphs inside graphs does not double at each depth") {
  std::string text = "a \"quoted\" \\ line\n";
  for (int depth = 0; depth < 60; ++depth) {
    Graph graph;
    const ValueId x = graph.add_input(stated_as("x", {}));
    Node node{&find_op("cast"), {x, Datum(text)}, {graph.add_value(stated_as("y", {}))}};
    graph.add_node(std::move(node));
    check_round_trip(graph);
    text = to_string(graph);
  }
  CHECK(text.size() < 100'000);
}

TEST_CASE("a value with the name of a symbol is written unambiguously") {
  Graph graph;
  const Dim n(graph.facts()->symbol("N"));
  const ValueId x = graph.add_input(stated_as("N", {n}));
  graph.add(find_op("relu"), {x}, "y");
  CHECK(to_string(graph).find("relu(input: `N`)") != std::string::npos);
  check_round_trip(graph);
}

TEST_CASE("symbols without a name, or with the same one, get names of their own") {
  Graph graph;
  Facts& facts = *graph.facts();
  const Dim a(facts.symbol()), b(facts.symbol("N")), c(facts.symbol("N")),
      d(facts.symbol("has space"));
  graph.add_input(stated_as("x", {a, b, c, d, Dim(facts.symbol()), a}));
  CHECK(to_string(graph) == "graph {\n  input x: float32[_1, N, N_2, has_space, _2, _1]\n}\n");
  check_round_trip(graph);
}

TEST_CASE("an unknown rank and a default dtype are written") {
  Graph graph;
  graph.set_default_dtype(DType::float64);
  graph.add_input({.name = "x", .dims = {}, .ranked = false, .dtype = DType::int32});
  CHECK(to_string(graph) == "graph {\n  default float64\n  input x: int32[...]\n}\n");
  check_round_trip(graph);
}

TEST_CASE("dims keep their arithmetic") {
  Graph graph;
  Dim h(graph.facts()->symbol("h")), w(graph.facts()->symbol());
  std::vector<Dim> dims = {h * w + 1, floor_divide(h + 1, 2), h - w, 2 * floor_divide(h, w) - 3};
  for (int i = 0; i < 30; ++i) {
    h = floor_divide(h + 3, 2);  // a chain of strided convolutions
    dims.push_back(h);
  }
  graph.add_input(stated_as("x", dims));
  check_round_trip(graph);
  CHECK(to_string(graph).size() < 4000);
}

TEST_CASE("sizes and integers with lines of their own are read back in their order") {
  for (const char* dims : {"size p = a*b*c*d*e\n size r = p*h\n size q = a*b*c*f*g\n"
                           "input x: float32[r + q]",
                           "size p = a*b*c*d*e\n size q = a*b*c*f*g\n"
                           "input x: float32[(p + q + c + d + e)//2]",
                           "integer k\n integer r = k*u\n integer j\n"
                           "input x: float32[r + j]"}) {
    CAPTURE(dims);
    check_round_trip(parse_graph("graph {\n" + std::string(dims) + "\n}\n"));
  }
}

TEST_CASE("graphs are equal up to the names of symbols") {
  const std::string text = "graph { input x: float32[N, M, N] output y = x }";
  CHECK(parse_graph(text) == parse_graph("graph { input x: float32[a, b, a] output y = x }"));
  CHECK_FALSE(parse_graph(text) == parse_graph("graph { input x: float32[a, b, b] output y = x }"));
  CHECK_FALSE(parse_graph(text) == parse_graph("graph { input x: float32[a, b, a] output z = x }"));
  CHECK_FALSE(parse_graph("graph { constant c: float32[1] = {0} }") ==
              parse_graph("graph { constant c: float32[1] = {-0} }"));
}

TEST_CASE("comments, order of ports and defaults are free") {
  const Graph graph = parse_graph(R"(graph{ # a comment
    input x:float32[2,3,] concat.output: float32[2, 6] =
      concat(axis: 1, input: [x, x]) relu.output: float32[2, 3] = relu(input: x,) })");
  CHECK(to_string(graph) == R"(graph {
  input x: float32[2, 3]
  concat.output: float32[2, 6] = concat(input: [x, x], axis: 1)
  relu.output: float32[2, 3] = relu(input: x)
}
)");
}

TEST_CASE("random graphs are read back") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    check_round_trip(tests::random_graph(seed));
  }
}
