// Convolutions clamp their results in registers: elementwise programs that only clamp are found.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/elementwise/clamp.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::Clamp;

// The limits of the program of y, a function of x, which replaces x in its buffer.
std::optional<Clamp> clamp_of(const std::string& call, DType dtype = DType::float32,
                              bool in_place = true) {
  const Graph graph = parse_graph(fmt::format(
      "graph {{\n  input x: {0}[20]\n  y: {0}[20] = {1}\n  output y = y\n}}\n", name(dtype), call));
  const SizeSources sizes(graph);
  const Plan plan = make_plan(graph, sizes, std::vector<Tensor>{Tensor::zeros({20}, dtype)});
  const cpu_backend::ShapedGraph shaped(graph, plan);
  const size_t nodes[] = {0};
  const auto program = cpu_backend::make_elementwise_program(shaped, nodes, shaped.node(0).outputs);
  REQUIRE(program);
  cpu_backend::BufferRefs refs(graph.values().size());
  if (!in_place) refs[index(shaped.node(0).outputs.front())].offset = 128;
  return cpu_backend::in_place_clamp(shaped, *program, refs);
}

void check_limits(const std::string& call, float low, float high) {
  CAPTURE(call);
  const std::optional<Clamp> found = clamp_of(call);
  REQUIRE(found);
  CHECK(found->low == low);
  CHECK(found->high == high);
}

}  // namespace

TEST_CASE("programs that only clamp have limits") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  check_limits("relu(input: x)", 0, infinity);
  check_limits("clamp(input: x, min_val: -2.0, max_val: None)", -2, infinity);
  check_limits("clamp(input: x, min_val: None, max_val: 6.0)", -infinity, 6);
  check_limits("clamp(input: x, min_val: -1.0, max_val: 6.0)", -1, 6);
  check_limits("clamp(input: x, min_val: 2.0, max_val: 1.0)", 2, 1);
}

TEST_CASE("other programs have no limits") {
  CHECK_FALSE(clamp_of("exp(input: x)"));
  CHECK_FALSE(clamp_of("add(left: x, right: 1.0)"));
  // maximum takes a NaN of either operand.
  CHECK_FALSE(clamp_of("maximum(left: x, right: -2.0)"));
  CHECK_FALSE(clamp_of("multiply(left: x, right: 2.0)"));
  CHECK_FALSE(clamp_of("relu(input: x)", DType::float64));
  CHECK_FALSE(clamp_of("relu(input: x)", DType::float32, false));
}

}  // namespace mithril::tests
