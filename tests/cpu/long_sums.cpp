// Rounding errors of sums of many products must not grow with the number of products. Sums of
// positive numbers are compared with double precision, on each instruction set.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

// One sum of 100,000 float32 products, one after the other, is off by 1e-5 and more.
constexpr double allowed = 3e-6;

// Multiples of 1 / 128 from 1 / 2 to 1, exact in each floating dtype.
Tensor positive_numbers(const Dims& dims, DType dtype, std::uint64_t seed) {
  Tensor numbers = generate({uniform(dims, 64, 128)}, seed).front();
  for (double& element : numbers.mutable_values<double>()) element = std::floor(element) / 128;
  return numbers.to(dtype);
}

std::vector<Tensor> inputs_of(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    inputs.push_back(positive_numbers(dims, graph.value(id).dtype, inputs.size()));
  }
  return inputs;
}

void check(const Graph& graph, const CpuOptions& options = {}) {
  const std::vector<Tensor> inputs = inputs_of(graph), expected = interpret(graph, inputs);
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    // AMX sums in one chain (docs/cpu-backend.md).
    if (instructions == cpu_backend::Instructions::amx) continue;
    const InstructionsLimit limit(instructions);
    const std::vector<Tensor> made = cpu(options)->load(graph, {})->run(inputs);
    for (size_t i = 0; i < made.size(); ++i) {
      double worst = 0;
      for (int64_t at = 0; at < made[i].size(); ++at) {
        const double sum = expected[i].at_as_double(at);
        worst = std::max(worst, std::abs(made[i].at_as_double(at) / sum - 1));
      }
      CHECK_MESSAGE(worst < allowed, graph.outputs()[i].name, " with ", name(instructions),
                    " is off by ", worst, "\n", to_string(graph));
    }
  }
}

void check(const std::string& body) { check(parse_graph("graph {\n" + body + "}\n")); }

}  // namespace

TEST_CASE("GEMMs sum long rows and columns in blocks") {
  const std::vector<int> heights = all_cases() ? std::vector{1, 2, 3, 8, 30}
                                   : sanitized ? std::vector{3}
                                               : std::vector{1, 3, 15};
  const std::vector<int> widths = all_cases() ? std::vector{1, 8, 40} : std::vector{1, 40};
  for (const int rows : heights) {
    const std::string left = fmt::format("  input a: float32[{}, 100000]\n", rows);
    for (const int columns : widths) {
      const std::string product = fmt::format("  y: float32[{}, {}]", rows, columns);
      check(left + fmt::format("  input b: float32[100000, {}]\n", columns) + product +
            " = matmul(left: a, right: b)\n  output y = y\n");
      check(left + fmt::format("  input b: float32[{}, 100000]\n", columns) + product +
            " = linear(input: a, weight: b, bias: None)\n  output y = y\n");
    }
  }
  // The gradient of a weight sums over a large batch.
  check(
      "  input a: float32[100000, 5]\n  input b: float32[100000, 20]\n"
      "  t: float32[5, 100000] = swapaxes(input: a, axis1: 0, axis2: 1)\n"
      "  y: float32[5, 20] = matmul(left: t, right: b)\n  output y = y\n");
}

TEST_CASE("bfloat16 GEMMs sum in blocks") {
  for (const int rows : {1, 8}) {
    check(
        fmt::format("  input a: bfloat16[{0}, 100000]\n  input b: bfloat16[100000, 8]\n"
                    "  c: float32[{0}, 8] = matmul(left: a, right: b)\n  output c = c\n",
                    rows));
  }
}

TEST_CASE("GEMMs with bound weights sum in blocks in every weight dtype") {
  const Tensor weight = positive_numbers({40, 100000}, DType::float32, 9);
  for (const std::optional<DType> stored :
       {std::optional<DType>(), std::optional(DType::float16), std::optional(DType::bfloat16)}) {
    for (const int rows : {1, 3, all_cases() ? 30 : 15}) {
      if (sanitized && rows != 3) continue;
      Graph graph;
      const ValueId x = graph.add_input({.name = "x", .dims = {Dim(rows), Dim(100000)}});
      const ValueId w = graph.add_constant("w", weight);
      graph.add_output("y", graph.add(find_op("linear"), {x, w, Datum()}, "y").front());
      check(graph, {.weight_dtype = stored});
    }
  }
}

TEST_CASE("convolutions and their gradients sum in blocks") {
  const std::string options = ", stride: 1, padding: 0, dilation: 1, groups: 1)\n";
  check(
      "  input x: float32[1, 30000, 1, 20]\n  input w: float32[2, 30000, 1, 2]\n"
      "  y: float32[1, 2, 1, 19] = conv2d(input: x, weight: w, bias: None" +
      options + "  output y = y\n");
  for (const auto& [images, width] :
       {std::pair(50000, 1), std::pair(3000, 30), std::pair(1, 90000)}) {
    check(
        fmt::format("  input g: float32[{0}, 3, 1, {1}]\n  input x: float32[{0}, 2, 1, {1}]\n"
                    "  input w: float32[3, 2, 1, 1]\n  y: float32[3, 2, 1, 1] = "
                    "conv2d_weight_grad(grad: g, input: x, weight: w{2}  output y = y\n",
                    images, width, options));
  }
}

TEST_CASE("attention to many keys sums in blocks") {
  check(
      "  input q: float32[3, 4]\n  input k: float32[100000, 4]\n  input v: float32[100000, 5]\n"
      "  y: float32[3, 5] = scaled_dot_product(query: q, key: k, value: v, attn_mask: None, "
      "is_causal: False, scale: None)\n  output y = y\n");
}

TEST_CASE("norms, softmax and their gradients sum in blocks") {
  check(
      "  input x: float32[2, 1000000]\n"
      "  y: float32[2, 1000000] = softmax(input: x, axis: -1)\n"
      "  z: float32[2, 1000000], m: float32[2, 1], r: float32[2, 1] = layer_norm(input: x, "
      "weight: None, bias: None, eps: 0.01)\n"
      "  s: float32[2] = sum(input: x, axis: -1, keepdim: False)\n"
      "  output y = y\n  output m = m\n  output r = r\n  output s = s\n");
  check(
      "  input g: float32[100000, 3]\n  input x: float32[100000, 3]\n"
      "  input r: float32[100000, 1]\n"
      "  m: float32[100000, 1] = fill_like(like: r, number: 0.0)\n"
      "  dx: float32[100000, 3], dw: float32[3], db: float32[3] = layer_norm_grad(grad: g, "
      "input: x, mean: m, rstd: r, weight: None)\n  output dw = dw\n  output db = db\n");
}

}  // namespace mithril::tests
