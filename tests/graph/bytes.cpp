// Graphs as bytes, written and read.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>

#include "mithril/graph/graph_bytes.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/errors/foreign_tensor.hpp"
#include "tests/graph/random_graph.hpp"

using namespace mithril;

namespace {

// `made`, read back from its bytes relative to `base`.
std::optional<Graph> back(const Graph& made, const Graph& base, const GraphBytes& of_base) {
  const auto bytes = bytes_of_made(made, base, of_base);
  return bytes ? made_from_bytes(*bytes, base, of_base) : std::nullopt;
}

void check_the_same(const Graph& graph) {
  const Graph nothing;
  const auto again = back(graph, nothing, *to_bytes(nothing));
  REQUIRE(again);
  CHECK(to_string(*again) == to_string(graph));
  CHECK(*again == graph);
}

Value stated_value(std::string name, std::vector<Dim> dims) {
  return {.name = std::move(name), .dims = std::move(dims)};
}

}  // namespace

TEST_CASE("random graphs come back from bytes") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const Graph graph = tests::random_graph(seed);
    check_the_same(graph);
    const auto of_base = to_bytes(graph);
    REQUIRE(of_base);
    const Graph made = fold_constants(graph);
    const auto again = back(made, graph, *of_base);
    REQUIRE(again);
    CHECK(*again == made);
    CHECK(again->facts() == graph.facts());
  }
}

TEST_CASE("terms of dims keep their order in bytes") {
  // This is -s + (p + q + r + s)//2: s appears before p, q and r, which are older.
  check_the_same(parse_graph("graph {\n  input x: float32[(p + q + r - s)//2]\n}\n"));
}

TEST_CASE("every kind of argument comes back from bytes") {
  Graph graph;
  const Dim n(graph.facts()->symbol("N")), k(graph.facts()->symbol("", false));
  const ValueId x = graph.add_input(stated_value("x", {n, k}));
  const Datum data[] = {Datum(),
                        Datum(true),
                        Datum(false),
                        Datum(std::numeric_limits<int64_t>::min()),
                        Datum(std::numeric_limits<int64_t>::max()),
                        Datum(2 * n - 3 * k + 1),
                        Datum(-0.0),
                        Datum(std::numeric_limits<double>::quiet_NaN()),
                        Datum("a \"b\"\n"),
                        Datum(DType::bfloat16),
                        Datum(Ellipsis{}),
                        Datum(Tuple{}),
                        Datum(Tuple{Datum(Tuple{Datum(1), Datum(n)}), Datum(None{})}),
                        Datum(mithril::Slice{Datum(0), Datum(None{}), Datum(2)})};
  for (const Datum& datum : data) {
    const auto at = std::to_string(graph.nodes().size());
    Node node{&find_op("buffer"), {datum}, {graph.add_value(stated_value("y_" + at, {n, k}))}};
    graph.add_node(std::move(node));
  }
  graph.add_node(
      {&find_op("concat"), {x, x, Datum(0)}, {graph.add_value(stated_value("z", {2 * n}))}});
  graph.add_output("y", x);
  check_the_same(graph);
}

TEST_CASE("sizes come back from bytes with their names and definitions") {
  Graph graph;
  const Dim n(graph.facts()->symbol("N")), other(graph.facts()->symbol("N")),
      nameless(graph.facts()->symbol());
  Dim deep = n;
  for (int i = 0; i < 20000; ++i) deep = floor_divide(deep + nameless, 2);
  graph.add_input(stated_value("x", {n, other, nameless, 2 * n - 1, floor_divide(n + 1, 2)}));
  graph.add_input(stated_value("y", {n * other, floor_divide(n * other + 3, nameless), deep}));
  graph.add_input({.name = "z", .dims = {}, .ranked = false, .dtype = DType::int32});
  graph.set_default_dtype(DType::float64);
  check_the_same(graph);
}

TEST_CASE("sums of definitions come back from bytes in their order") {
  check_the_same(
      parse_graph("graph {\n  size p = a*b*c*d*e\n  size q = a*b*c*f*g\n"
                  "  input x: float32[(p + q + c + d + e)//2, p + q]\n}\n"));
}

TEST_CASE("constants come back from bytes with all their bits") {
  const float nan = std::numeric_limits<float>::signaling_NaN();
  Graph graph;
  graph.add_constant("a", Tensor::of<float>({2, 1}, {nan, -0.0f}));
  graph.add_constant("none", Tensor(DType::boolean, {0, 3}));
  graph.add_constant("half", Tensor::full(DType::float16, {}, 0.1));
  check_the_same(graph);
  const auto again = back(graph, graph, *to_bytes(graph));
  REQUIRE(again);
  CHECK(again->constants()[0].tensor.raw_data() == graph.constants()[0].tensor.raw_data());
}

TEST_CASE("sizes that a pass merges are not read back as known") {
  const auto two_sizes = [] {
    Graph graph;
    const Dim a(graph.facts()->symbol("a")), b(graph.facts()->symbol("b"));
    graph.add_input(stated_value("x", {a}));
    graph.add_input(stated_value("y", {b}));
    graph.add_output("z",
                     graph.add(find_op("add"), {graph.inputs()[0], graph.inputs()[1]}, "z")[0]);
    return graph;
  };
  const Graph graph = two_sizes(), later = two_sizes();
  const auto of_graph = to_bytes(graph), of_later = to_bytes(later);
  REQUIRE((of_graph && of_later));
  CHECK(of_graph->bytes == of_later->bytes);
  graph.facts()->unify(graph.values()[0].dims[0], graph.values()[1].dims[0]);
  const auto bytes = bytes_of_made(graph, graph, *of_graph);
  REQUIRE(bytes);
  const auto made = made_from_bytes(*bytes, later, *of_later);
  REQUIRE(made);
  CHECK(same(made->values()[0].dims[0], made->values()[1].dims[0]));
  CHECK(!same(later.values()[0].dims[0], later.values()[1].dims[0]));
}

TEST_CASE("graphs that differ have other bytes") {
  const std::string text = "graph {\n  input x: float32[N]\n  y: float32[N] = relu(input: x)\n";
  const std::string graphs[] = {
      text + "output y = y }",
      text + "output z = y }",
      text + "output y = x }",
      "graph { input x: float32[M] y: float32[M] = relu(input: x) output y = y }",
      "graph { input x: float64[N] y: float64[N] = relu(input: x) output y = y }",
      "graph { input x: float32[3] y: float32[3] = relu(input: x) output y = y }",
      "graph { input x: float32[N] y: float32[N] = sigmoid(input: x) output y = y }",
      "graph { default float64 input x: float32[N] y: float32[N] = relu(input: x) output y = y }",
      "graph { constant x: float32[1] = {1} y: float32[1] = relu(input: x) output y = y }",
      "graph { constant x: float32[1] = {2} y: float32[1] = relu(input: x) output y = y }"};
  for (const std::string& a : graphs) {
    for (const std::string& b : graphs) {
      CHECK((to_bytes(parse_graph(a))->bytes == to_bytes(parse_graph(b))->bytes) == (&a == &b));
    }
  }
}

TEST_CASE("graphs with large constants, or constants elsewhere, have no bytes") {
  Graph large, elsewhere;
  large.add_constant("a", Tensor(DType::float32, {int64_t{1} << 23}));
  elsewhere.add_constant("a", tests::foreign_tensor());
  CHECK(!to_bytes(large));
  CHECK(!to_bytes(elsewhere));
  CHECK(!bytes_of_made(large, Graph(), *to_bytes(Graph())));
}

TEST_CASE("changed bytes are read as a valid graph or refused") {
  std::mt19937 random(7);
  const auto below = [&](size_t size) { return static_cast<size_t>(random() % size); };
  size_t graphs = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const Graph graph = tests::random_graph(seed), nothing;
    const auto of_nothing = to_bytes(nothing);
    const std::string bytes = *bytes_of_made(graph, nothing, *of_nothing);
    for (size_t size = 0; size < bytes.size(); ++size) {
      REQUIRE(!made_from_bytes(bytes.substr(0, size), nothing, *of_nothing));
    }
    for (int times = 0; times < 200; ++times) {
      std::string changed = bytes;
      for (size_t left = 1 + below(3); left > 0; --left) {
        changed[below(changed.size())] = static_cast<char>(random());
      }
      const auto read = made_from_bytes(changed, nothing, *of_nothing);
      if (read) graphs += !to_string(*read).empty();
    }
  }
  CHECK(graphs > 0);
}

TEST_CASE("a bool of other bytes than 0 and 1 is refused") {
  const Graph nothing;
  const auto of_nothing = to_bytes(nothing);
  Graph graph;
  graph.add_output("y", graph.add_constant("mask", Tensor::full(DType::boolean, {3}, 1)));
  const std::string bytes = *bytes_of_made(graph, nothing, *of_nothing);
  const size_t at = bytes.find("\1\1\1");
  REQUIRE(at != std::string::npos);
  for (const char byte : {0, 1, 2, 127, -1}) {
    std::string changed = bytes;
    changed[at + 1] = byte;
    const auto read = made_from_bytes(changed, nothing, *of_nothing);
    REQUIRE(read.has_value() == (byte == 0 || byte == 1));
    if (read) CHECK(read->constants()[0].tensor.data<bool>()[1] == (byte == 1));
  }
}
