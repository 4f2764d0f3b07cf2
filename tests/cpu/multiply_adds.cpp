// Sums of float64 that are rounded to float32 are fused multiply-adds.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "backends/cpu/rewrite/fuse_multiply_adds.hpp"
#include "backends/cpu/rewrite/legalize.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/op_def.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

constexpr int64_t columns = 37;

// `sum` is of float64. a, b and c are inputs of float32; wide_a, wide_b and wide_c are the same in
// float64. d is an input of float64.
std::string text_of(const std::string& sum, const std::string& output = {}) {
  std::string text = fmt::format(
      "graph {{\n  input a: float32[3, {0}]\n  input b: float32[{0}]\n  input c: float32[3, 1]\n"
      "  input d: float64[{0}]\n",
      columns);
  for (const auto& [name, dims] :
       {std::pair("a", "3, 37"), std::pair("b", "37"), std::pair("c", "3, 1")})
    text +=
        fmt::format("  wide_{0}: float64[{1}] = cast(input: {0}, dtype: float64)\n", name, dims);
  return text + sum + "  y: float32[3, 37] = cast(input: s, dtype: float32)\n  output y = y\n" +
         output + "}\n";
}

std::string product_and_sum(const char* left, const char* right, const char* addend,
                            bool is_addend_first = false) {
  const std::string product =
      fmt::format("  p: float64[3, 37] = multiply(left: {}, right: {})\n", left, right);
  const std::string sum = is_addend_first ? fmt::format("left: {}, right: p", addend)
                                          : fmt::format("left: p, right: {}", addend);
  return text_of(product + "  s: float64[3, 37] = add(" + sum + ")\n");
}

int64_t multiply_adds(const std::string& text) {
  const Graph made = cpu_backend::fuse_multiply_adds(parse_graph(text));
  return std::count_if(made.nodes().begin(), made.nodes().end(),
                       [](const Node& node) { return node.op->name == "multiply_add"; });
}

std::vector<Tensor> inputs() {
  return {random({3, columns}, 1), random({columns}, 2), random({3, 1}, 3),
          random({columns}, 4).to(DType::float64)};
}

size_t steps_of(const std::string& text) {
  const cpu_backend::Config config;
  const Graph graph = cpu_backend::legalize(parse_graph(text), config);
  const SizeSources sizes(graph);
  cpu_backend::PackedWeights packed(graph);
  return cpu_backend::make_execution_plan(graph, make_plan(graph, sizes, inputs()), config, packed)
      .steps.size();
}

}  // namespace

TEST_CASE("a sum of float64 that is rounded to float32 is a fused multiply-add") {
  const std::vector<Tensor> given = inputs();
  const auto a = given[0].values<float>(), b = given[1].values<float>(),
             c = given[2].values<float>();
  std::vector<float> expected;
  for (size_t i = 0; i < a.size(); ++i)
    expected.push_back(std::fma(a[i], b[i % columns], c[i / columns]));
  for (const bool is_addend_first : {false, true}) {
    const std::string text = product_and_sum("wide_a", "wide_b", "wide_c", is_addend_first);
    CHECK(multiply_adds(text) == 1);
    const Graph graph = parse_graph(text);
    for (const CpuSetting& setting : cpu_settings()) {
      CAPTURE(description(setting));
      const InstructionsLimit limit(setting.instructions);
      const Tensor made = load_with(setting, graph)->run(given).front();
      CHECK(std::equal(expected.begin(), expected.end(), made.values<float>().begin()));
    }
  }
}

TEST_CASE("numbers that float32 holds are operands of fused multiply-adds") {
  CHECK(multiply_adds(product_and_sum("wide_a", "0.5", "-3.0")) == 1);
  CHECK(multiply_adds(product_and_sum("wide_a", "0.1", "wide_c")) == 0);
  CHECK(multiply_adds(product_and_sum("wide_a", "wide_b", "0.1")) == 0);
  CHECK(multiply_adds(product_and_sum("wide_a", "wide_b", "1e300")) == 0);
  CHECK(differing_output(product_and_sum("wide_a", "0.5", "-3.0"), inputs()) == "");
}

TEST_CASE("other sums of float64 are kept") {
  CHECK(multiply_adds(product_and_sum("wide_a", "d", "wide_c")) == 0);
  CHECK(multiply_adds(product_and_sum("wide_a", "wide_b", "d")) == 0);
  CHECK(multiply_adds(text_of("  s: float64[3, 37] = add(left: wide_a, right: wide_c)\n")) == 0);
  CHECK(multiply_adds(text_of("  p: float64[3, 37] = multiply(left: wide_a, right: wide_b)\n"
                              "  s: float64[3, 37] = subtract(left: p, right: wide_c)\n")) == 0);
}

TEST_CASE("a chain of multiply-adds is one step, and the sum of float64 may have other readers") {
  const std::string sums =
      "  p: float64[3, 37] = multiply(left: wide_a, right: wide_b)\n"
      "  q: float64[3, 37] = add(left: p, right: wide_c)\n"
      "  r: float32[3, 37] = cast(input: q, dtype: float32)\n"
      "  t: float64[3, 37] = cast(input: r, dtype: float64)\n"
      "  u: float64[3, 37] = multiply(left: t, right: wide_a)\n"
      "  s: float64[3, 37] = add(left: u, right: 0.25)\n";
  CHECK(steps_of(text_of(sums)) == 1);
  for (const char* output : {"", "  output q = q\n"}) {
    const std::string text = text_of(sums, output);
    CHECK(multiply_adds(text) == 2);
    CHECK(differing_output(text, inputs()) == "");
  }
}

}  // namespace mithril::tests
