// Epilogues of GEMMs and convolutions.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/random_sizes.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

size_t steps_of(const std::string& text, const std::vector<Tensor>& inputs) {
  const Graph graph = parse_graph(text);
  const SizeSources sizes(graph);
  cpu_backend::PackedWeights packed(graph);
  const cpu_backend::Config config;
  return cpu_backend::make_execution_plan(graph, make_plan(graph, sizes, inputs), config, packed)
      .steps.size();
}

// Checks that the graph has this number of steps, and matches the reference on one thread and on
// two.
void check(const std::string& text, const std::vector<Tensor>& inputs, size_t steps) {
  CHECK(steps_of(text, inputs) == steps);
  for (const int threads : {1, 2}) CHECK(differing_output(text, inputs, threads, 5e-5) == "");
}

const std::string options = "bias: None, stride: 1, padding: 1, dilation: 1, groups: 1)\n";

}  // namespace

TEST_CASE("elementwise nodes become the epilogue of a GEMM") {
  for (const int64_t rows : {1, 2, 77}) {
    CAPTURE(rows);
    const std::string n = std::to_string(rows);
    const std::string text = "graph {\n  input x: float32[" + n +
                             ", 200]\n"
                             "  input w: float32[70, 200]\n"
                             "  input b: float32[70]\n"
                             "  h: float32[" +
                             n +
                             ", 70] = linear(input: x, weight: w, bias: b)\n"
                             "  r: float32[" +
                             n +
                             ", 70] = relu(input: h)\n"
                             "  y: float32[" +
                             n +
                             ", 70] = multiply(left: r, right: 0.7)\n"
                             "  output y = y\n}\n";
    check(text, {random({rows, 200}, 1), random({70, 200}, 2), random({70}, 3)}, 1);
  }
}

TEST_CASE("epilogues of batched GEMMs broadcast") {
  const std::string text =
      "graph {\n"
      "  input a: float32[3, 20, 9]\n"
      "  input b: float32[3, 9, 40]\n"
      "  input mask: float32[20, 40]\n"
      "  p: float32[3, 20, 40] = matmul(left: a, right: b)\n"
      "  s: float32[3, 20, 40] = multiply(left: p, right: 0.5)\n"
      "  y: float32[3, 20, 40] = add(left: s, right: mask)\n"
      "  output y = y\n"
      "}\n";
  check(text, {random({3, 20, 9}, 1), random({3, 9, 40}, 2), random({20, 40}, 3)}, 1);
}

TEST_CASE("a residual addition becomes the epilogue of the last convolution") {
  const std::string text =
      "graph {\n"
      "  input x: float32[2, 8, 19, 21]\n"
      "  input w: float32[8, 8, 3, 3]\n"
      "  input v: float32[8, 8, 1, 1]\n"
      "  input c: float32[1, 8, 1, 1]\n"
      "  h: float32[2, 8, 19, 21] = conv2d(input: x, weight: w, " +
      options +
      "  b: float32[2, 8, 19, 21] = add(left: h, right: c)\n"
      "  r: float32[2, 8, 19, 21] = relu(input: b)\n"
      "  d: float32[2, 8, 19, 21] = conv2d(input: r, weight: w, " +
      options +
      "  s: float32[2, 8, 19, 21] = conv2d(input: x, weight: v, bias: None, stride: 1, padding: 0, "
      "dilation: 1, groups: 1)\n"
      "  t: float32[2, 8, 19, 21] = add(left: d, right: s)\n"
      "  y: float32[2, 8, 19, 21] = relu(input: t)\n"
      "  output y = y\n"
      "}\n";
  check(text,
        {random({2, 8, 19, 21}, 1), random({8, 8, 3, 3}, 2), random({8, 8, 1, 1}, 3),
         random({1, 8, 1, 1}, 4)},
        3);
}

TEST_CASE("an epilogue does not overwrite the input of its convolution") {
  const std::string text =
      "graph {\n"
      "  input x: float32[1, 8, 20, 30]\n"
      "  input w: float32[8, 8, 3, 3]\n"
      "  e: float32[1, 8, 20, 30] = exp(input: x)\n"
      "  h: float32[1, 8, 20, 30] = conv2d(input: e, weight: w, " +
      options +
      "  y: float32[1, 8, 20, 30] = add(left: h, right: e)\n"
      "  z: float32[1, 8, 20, 30] = atan(input: y)\n"
      "  output z = z\n"
      "}\n";
  check(text, {random({1, 8, 20, 30}, 1), random({8, 8, 3, 3}, 2)}, 3);
}

TEST_CASE("an epilogue may have several outputs") {
  const std::string text =
      "graph {\n"
      "  input x: float32[40, 30]\n"
      "  input w: float32[50, 30]\n"
      "  input g: float32[40, 50]\n"
      "  e: float32[40, 50] = exp(input: g)\n"
      "  h: float32[40, 50] = linear(input: x, weight: w, bias: None)\n"
      "  t: float32[40, 50] = tanh(input: h)\n"
      "  y: float32[40, 50] = multiply(left: t, right: e)\n"
      "  c: float32[40, 50] = atan(input: t)\n"
      "  output y = y\n"
      "  output c = c\n"
      "}\n";
  check(text, {random({40, 30}, 1), random({50, 30}, 2), random({40, 50}, 3)}, 2);
}

TEST_CASE("a value with other consumers gets no epilogue") {
  const std::string read =
      "graph {\n"
      "  input x: float32[4, 30]\n"
      "  input w: float32[50, 30]\n"
      "  h: float32[4, 50] = linear(input: x, weight: w, bias: None)\n"
      "  t: float32[4, 50] = tanh(input: h)\n"
      "  m: float32[50, 50] = matmul(left: u, right: t)\n"
      "  output m = m\n"
      "}\n";
  std::string text = read;
  text.insert(text.find("  m:"), "  u: float32[50, 4] = swapaxes(input: h)\n");
  check(text, {random({4, 30}, 1), random({50, 30}, 2)}, 3);
}

TEST_CASE("an epilogue may have another element size") {
  const std::string truths =
      "graph {\n"
      "  input x: float32[4, 30]\n"
      "  input w: float32[50, 30]\n"
      "  h: float32[4, 50] = linear(input: x, weight: w, bias: None)\n"
      "  y: bool[4, 50] = greater(left: h, right: 0.0)\n"
      "  output y = y\n"
      "}\n";
  check(truths, {random({4, 30}, 1), random({50, 30}, 2)}, 1);
}

// A direct convolution and a depthwise one, with more channels than one pass over k takes. Sums of
// these integers are exact.
TEST_CASE("convolutions clamp their results and keep NaN") {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t channels : {40, 600}) {
    for (const auto& limits : {std::pair{-0.5, 1.5}, {0.0, 6.0}, {-2.0, -1.0}}) {
      const double low = limits.first, high = limits.second;
      for (const bool depthwise : {false, true}) {
        if (sanitized && channels == 600 && low != 0) continue;
        CAPTURE(depthwise);
        CAPTURE(low);
        RandomCase made;
        Draw draw(7);
        Tensor x = draw.integers({1, channels, 5, 9}, DType::float32);
        x.mutable_values<float>()[3] = nan;
        const Tensor weight =
            draw.integers({channels, depthwise ? 1 : channels, 3, 3}, DType::float32);
        const ValueId y =
            made.node("y", "conv2d",
                      {made.input("x", x), made.constant("w", weight), Datum(), Datum(1), Datum(1),
                       Datum(1), Datum(depthwise ? channels : int64_t{1})});
        // A convolution reads the clamped value, so that it is stored in the NCHW16c layout.
        const ValueId z = made.node("z", "clamp", {y, Datum(low), Datum(high)});
        const Tensor last = draw.integers({channels, 1, 1, 1}, DType::float32);
        made.output(
            "out", "conv2d",
            {z, made.constant("v", last), Datum(), Datum(1), Datum(0), Datum(1), Datum(channels)});
        const Tensor expected = interpret(made.graph, made.inputs).front();
        CHECK(std::isnan(expected.values<float>()[3]));
        for (const cpu_backend::Instructions set : cpu_backend::present_instructions()) {
          const InstructionsLimit limit(set);
          const auto executable = cpu({.threads = 2, .winograd = false})->load(made.graph, {});
          CHECK(difference(executable->run(made.inputs).front(), expected, 0) == "");
        }
      }
    }
  }
}

}  // namespace mithril::tests
