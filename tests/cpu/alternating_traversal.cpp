// Alternating traversal: the end at which steps start, and that it does not change the bits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::AlternatingTraversal;
using cpu_backend::Direction;
using cpu_backend::Traversal;

// Makes a graph in which the statements compute the table y from the table x.
Graph table_graph(const std::string& statements, int64_t rows, int64_t columns) {
  const std::string table = fmt::format("float32[{}, {}]", rows, columns);
  const std::string column = fmt::format("float32[{}, 1]", rows);
  std::string text = "graph {\n  input x: TABLE\n" + statements + "  output y = y\n}\n";
  for (const auto& [name, by] : {std::pair{"TABLE", table}, {"COLUMN", column}}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, std::string(name).size(), by);
    }
  }
  return parse_graph(text);
}

// Makes each row of y in the place of the next row of x, so a forward traversal would read
// overwritten rows.
std::vector<float> made_one_row_on(const Graph& graph, const Tensor& x, Direction direction) {
  const SizeSources sizes(graph);
  cpu_backend::PackedWeights packed(graph);
  const cpu_backend::Config config;
  const auto plan =
      cpu_backend::make_execution_plan(graph, make_plan(graph, sizes, {&x, 1}), config, packed);
  REQUIRE(plan.steps.size() == 1);
  REQUIRE(plan.steps[0].step->runs_backward());
  const auto count = static_cast<size_t>(x.size()), row = static_cast<size_t>(x.dims()[1]);
  std::vector<float> memory(count + row);
  std::copy_n(x.values<float>().begin(), count, memory.begin());
  std::vector<std::byte> arena(static_cast<size_t>(plan.memory.arena_bytes) + 4096);
  std::vector<std::byte*> bases(plan.memory.buffers);
  bases.front() = arena.data();
  bases[1] = reinterpret_cast<std::byte*>(memory.data());
  bases.back() = reinterpret_cast<std::byte*>(memory.data() + row);
  plan.run_step(0, bases, direction);
  return {memory.begin() + static_cast<ptrdiff_t>(row), memory.end()};
}

struct Case {
  std::string statements;
  int64_t columns;  // of the elements that the step processes together
};
const Case cases[] = {
    {"  y: TABLE = exp(input: x)\n", 512},
    {"  y: TABLE = softmax(input: x, axis: -1)\n", 77},
    {"  y: TABLE = log_softmax(input: x, axis: -1)\n", 64},
    {"  y: TABLE, m: COLUMN, s: COLUMN = layer_norm(input: x, weight: None, bias: None, eps: "
     "0.1)\n",
     100},
    {"  h: TABLE = multiply(left: x, right: 0.5)\n  y: TABLE = softmax(input: h, axis: -1)\n",
     1 << 14}};

}  // namespace

TEST_CASE("a step starts at the end where the previous step ended") {
  AlternatingTraversal traversal_order;
  for (int run = 0; run < 3; ++run) {
    CHECK(traversal_order.next(Traversal::either) == Direction::forward);
    CHECK(traversal_order.next(Traversal::either) == Direction::backward);
  }
  CHECK(traversal_order.next(Traversal::forward) == Direction::forward);
  CHECK(traversal_order.next(Traversal::either) == Direction::backward);
  CHECK(traversal_order.next(Traversal::forward) == Direction::forward);
  CHECK(traversal_order.next(Traversal::forward) == Direction::forward);
  CHECK(traversal_order.next(Traversal::either) == Direction::backward);
}

TEST_CASE("traversal stays forward for small inputs") {
  AlternatingTraversal traversal_order;
  CHECK(traversal_order.next(Traversal::either) == Direction::forward);
  CHECK(traversal_order.next(Traversal::small) == Direction::forward);
  CHECK(traversal_order.next(Traversal::either) == Direction::backward);
  CHECK(traversal_order.next(Traversal::small) == Direction::forward);
  CHECK(traversal_order.next(Traversal::either) == Direction::forward);
}

TEST_CASE("steps iterate in the given direction") {
  for (const Case& at : cases) {
    CAPTURE(at.statements);
    const Graph graph = table_graph(at.statements, 6, at.columns);
    const Tensor x = random({6, at.columns}, 1);
    const Tensor made = cpu()->load(graph, {})->run({{x}})[0];
    const std::vector<float> expected(made.values<float>().begin(), made.values<float>().end());
    CHECK(made_one_row_on(graph, x, Direction::backward) == expected);
    CHECK(made_one_row_on(graph, x, Direction::forward) != expected);
  }
}

TEST_CASE("the direction of traversal does not change the bits") {
  const std::string sums =
      "  s: COLUMN = sum(input: x, axis: 1, keepdim: True)\n"
      "  y: TABLE = add(left: x, right: s)\n";
  const std::string twice = "  e: TABLE = exp(input: x)\n  y: TABLE = softmax(input: e, axis: 0)\n";
  std::vector<std::string> all{sums, twice};
  for (const Case& at : cases) all.push_back(at.statements);
  for (const std::string& statements : all) {
    CAPTURE(statements);
    const Graph graph = table_graph(statements, 301, 333);
    const std::vector<Tensor> inputs{random({301, 333}, 2)};
    const Tensor alone = cpu({.threads = 1})->load(graph, {.fuse = false})->run(inputs)[0];
    for (const int threads : {1, 2, 3}) {
      const auto executable = cpu({.threads = threads})->load(graph, {});
      for (int run = 0; run < 3; ++run) CHECK(identical(executable->run(inputs)[0], alone));
    }
  }
}

}  // namespace mithril::tests
