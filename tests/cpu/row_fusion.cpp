// Steps that treat rows on their own, done together some rows at a time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

struct Taken {
  size_t steps;
  int64_t bytes;
};

Taken taken(const Graph& graph, const std::vector<Tensor>& inputs, bool fuse) {
  const SizeSources sizes(graph);
  cpu_backend::PackedWeights packed(graph);
  const cpu_backend::Config config{.fuse = fuse};
  const auto plan =
      cpu_backend::make_execution_plan(graph, make_plan(graph, sizes, inputs), config, packed);
  return {plan.steps.size(), plan.memory.arena_bytes};
}

// Checks that the graph is fused into this number of steps, with the bits of separate steps on any
// number of threads.
void check_joined(const std::string& text, const std::vector<Tensor>& inputs, size_t steps) {
  const Graph graph = parse_graph(text);
  CHECK(taken(graph, inputs, true).steps == steps);
  CHECK(differing_output(text, inputs, 1, 5e-5) == "");
  const auto alone = cpu({.threads = 1})->load(graph, {.fuse = false})->run(inputs);
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    const auto together = cpu({.threads = threads})->load(graph, {})->run(inputs);
    for (size_t i = 0; i < alone.size(); ++i) {
      CAPTURE(graph.outputs()[i].name);
      CHECK(identical(together[i], alone[i]));
    }
  }
}

std::string graph_of(const std::string& statements, int64_t rows, int64_t columns) {
  std::string text = "graph {\n" + statements + "}\n";
  const auto replace = [&](const std::string& name, const std::string& by) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), by);
    }
  };
  replace("TABLE", fmt::format("float32[{}, {}]", rows, columns));
  replace("COLUMN", fmt::format("float32[{}, 1]", rows));
  replace("ROW", fmt::format("float32[{}]", columns));
  return text;
}

const std::string scaled_softmax =
    "  input x: TABLE\n"
    "  input mask: ROW\n"
    "  s: TABLE = multiply(left: x, right: 0.5)\n"
    "  m: TABLE = add(left: s, right: mask)\n"
    "  p: TABLE = softmax(input: m, axis: -1)\n"
    "  y: TABLE = multiply(left: p, right: 3.0)\n"
    "  output y = y\n";

}  // namespace

TEST_CASE("elementwise nodes around softmax are fused with its rows") {
  for (const int64_t rows : {1, 2, 37, 400}) {
    for (const int64_t columns : {1, 16, 77, 600}) {
      CAPTURE(rows);
      CAPTURE(columns);
      check_joined(graph_of(scaled_softmax, rows, columns),
                   {random({rows, columns}, 1), random({columns}, 2)}, 1);
    }
  }
}

TEST_CASE("a value that only a row group reads has a buffer of a few rows") {
  const Graph graph = parse_graph(graph_of(scaled_softmax, 2000, 300));
  const std::vector<Tensor> inputs{random({2000, 300}, 1), random({300}, 2)};
  CHECK(taken(graph, inputs, false).bytes >= 2000 * 300 * 4);
  CHECK(taken(graph, inputs, true).bytes < 200'000);
}

TEST_CASE("row sums are fused with producers and consumers") {
  check_joined(graph_of("  input x: TABLE\n"
                        "  input g: ROW\n"
                        "  q: TABLE = multiply(left: x, right: x)\n"
                        "  m: COLUMN = mean(input: q, axis: 1, keepdim: True)\n"
                        "  e: COLUMN = add(left: m, right: 0.001)\n"
                        "  r: COLUMN = sqrt(input: e)\n"
                        "  u: TABLE = divide(numerator: x, denominator: r)\n"
                        "  y: TABLE = multiply(left: u, right: g)\n"
                        "  output y = y\n"
                        "  output r = r\n",
                        300, 50),
               {random({300, 50}, 1), random({50}, 2)}, 1);
}

TEST_CASE("layer norms are fused with residual additions, and their gradients with consumers") {
  check_joined(graph_of("  input x: TABLE\n"
                        "  input r: TABLE\n"
                        "  input w: ROW\n"
                        "  input b: ROW\n"
                        "  a: TABLE = add(left: x, right: r)\n"
                        "  y: TABLE, m: COLUMN, s: COLUMN = layer_norm(input: a, weight: w, bias: "
                        "b, eps: 0.01)\n"
                        "  z: TABLE = multiply(left: y, right: 0.7)\n"
                        "  g: TABLE = add(left: z, right: r)\n"
                        "  da: TABLE, dw: ROW, db: ROW = layer_norm_grad(grad: g, input: a, "
                        "mean: m, rstd: s, weight: w)\n"
                        "  dx: TABLE = multiply(left: da, right: r)\n"
                        "  output dx = dx\n"
                        "  output dw = dw\n"
                        "  output db = db\n",
                        150, 70),
               {random({150, 70}, 1), random({150, 70}, 2), random({70}, 3), random({70}, 4)}, 2);
}

TEST_CASE("steps with different rows are not fused") {
  // Each row of the sum reads all of another value.
  check_joined(graph_of("  input x: TABLE\n"
                        "  e: TABLE = exp(input: x)\n"
                        "  s: ROW = sum(input: e, axis: 0, keepdim: False)\n"
                        "  t: ROW = tanh(input: s)\n"
                        "  y: TABLE = multiply(left: e, right: t)\n"
                        "  p: TABLE = softmax(input: y, axis: 1)\n"
                        "  output p = p\n",
                        40, 60),
               {random({40, 60}, 1)}, 4);
}

TEST_CASE("a value with other consumers is written before they run") {
  check_joined(graph_of("  input x: TABLE\n"
                        "  input w: ROW\n"
                        "  e: TABLE = exp(input: x)\n"
                        "  s: ROW = sum(input: e, axis: 0, keepdim: False)\n"
                        "  p: TABLE = softmax(input: e, axis: 1)\n"
                        "  y: TABLE = multiply(left: p, right: e)\n"
                        "  z: TABLE = multiply(left: y, right: s)\n"
                        "  output z = z\n"
                        "  output y = y\n",
                        90, 60),
               {random({90, 60}, 1), random({60}, 2)}, 3);
}

TEST_CASE("row fusion does not change the bits of random graphs") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](size_t count) { return static_cast<size_t>(engine()) % count; };
    std::vector<std::string> tables{"x", "r"}, columns{"c"}, lines{"b"};
    std::string statements =
        "  input x: TABLE\n  input r: TABLE\n  input c: COLUMN\n  input b: ROW\n";
    // Prefers recent values.
    const auto one_of = [&](const std::vector<std::string>& names) {
      return names[names.size() - 1 - below(std::min<size_t>(names.size(), 3))];
    };
    const auto make = [&](std::vector<std::string>& names, const char* type,
                          const std::string& call) {
      const std::string name = fmt::format("v{}", statements.size());
      statements += fmt::format("  {}: {} = {}\n", name, type, call);
      names.push_back(name);
    };
    const auto pair = [&](const std::string& left, const std::string& right) {
      const char* ops[] = {"add", "subtract", "multiply"};
      return fmt::format("{}(left: {}, right: {})", ops[below(3)], left, right);
    };
    for (int i = 0; i < 20; ++i) {
      const std::string table = one_of(tables);
      switch (below(10)) {
        case 0:
          make(tables, "TABLE", fmt::format("softmax(input: {}, axis: -1)", table));
          break;
        case 1:
          make(tables, "TABLE",
               fmt::format("softmax_grad(grad: {}, result: {}, axis: 1)", table, one_of(tables)));
          break;
        case 2: {
          const std::string name = fmt::format("n{}", statements.size());
          statements += fmt::format(
              "  {0}: TABLE, {0}m: COLUMN, {0}s: COLUMN = layer_norm(input: {1}, weight: {2}, "
              "bias: None, eps: 0.1)\n",
              name, table, one_of(lines));
          tables.push_back(name);
          columns.push_back(name + "m");
          break;
        }
        case 3:
        case 4:
          make(columns, "COLUMN",
               fmt::format("{}(input: {}, axis: 1, keepdim: True)", below(2) ? "mean" : "max",
                           table));
          break;
        case 5:
          make(columns, "COLUMN", pair(one_of(columns), one_of(columns)));
          break;
        case 6:
          make(lines, "ROW", fmt::format("mean(input: {}, axis: 0, keepdim: False)", table));
          break;
        case 7:
          make(tables, "TABLE", pair(table, one_of(columns)));
          break;
        case 8:
          make(tables, "TABLE", pair(table, one_of(lines)));
          break;
        default:
          make(tables, "TABLE", pair(table, one_of(tables)));
      }
    }
    const std::string outputs[] = {tables.back(), tables[tables.size() / 2], columns.back()};
    for (const std::string& output : outputs) {
      if (statements.find("output " + output + " ") == std::string::npos && output.size() > 1) {
        statements += fmt::format("  output {0} = {0}\n", output);
      }
    }
    CAPTURE(statements);
    const auto rows = static_cast<int64_t>(1 + below(300)),
               size = static_cast<int64_t>(1 + below(300));
    const Graph graph = parse_graph(graph_of(statements, rows, size));
    const std::vector<Tensor> inputs{random({rows, size}, seed), random({rows, size}, seed + 1),
                                     random({rows, 1}, seed + 2), random({size}, seed + 3)};
    const auto alone = cpu()->load(graph, {.fuse = false})->run(inputs);
    for (const int threads : {1, 2, 3}) {
      const auto joined = cpu({.threads = threads})->load(graph, {})->run(inputs);
      for (size_t i = 0; i < alone.size(); ++i) REQUIRE(identical(joined[i], alone[i]));
    }
  }
}

}  // namespace mithril::tests
