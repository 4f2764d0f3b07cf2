// Products of bfloat16 by the processor's unit for them (AMX), of every shape of its registers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "backends/cpu/conv/im2col.hpp"
#include "backends/cpu/cpu.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::Instructions;

bool has_amx() { return cpu_backend::present_instructions().back() == Instructions::amx; }

Graph product(int64_t rows, int64_t columns, int64_t depth) {
  return parse_graph(
      fmt::format("graph {{\n  input x: bfloat16[{0}, {2}]\n  input w: bfloat16[{1}, {2}]\n"
                  "  input b: bfloat16[{1}]\n  h: bfloat16[{0}, {1}] = linear(input: x, weight: w, "
                  "bias: b)\n  y: bfloat16[{0}, {1}] = relu(input: h)\n  output y = y\n}}\n",
                  rows, columns, depth));
}

struct WindowSizes {
  int64_t images, inputs, height, width, outputs, kernel_down, kernel_across;
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1;

  int64_t made(int64_t size, int64_t kernel) const {
    return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

// Inputs and outputs are per group; the epilogue reads a residual.
Graph convolution(const WindowSizes& s) {
  const std::string output =
      fmt::format("bfloat16[{}, {}, {}, {}]", s.images, s.groups * s.outputs,
                  s.made(s.height, s.kernel_down), s.made(s.width, s.kernel_across));
  return parse_graph(fmt::format(
      "graph {{\n  input x: bfloat16[{0}, {1}, {2}, {3}]\n  input w: bfloat16[{4}, {5}, {6}, {7}]\n"
      "  input b: bfloat16[{4}]\n  input r: {8}\n  h: {8} = conv2d(input: x, weight: w, bias: b, "
      "stride: {9}, padding: {10}, dilation: {11}, groups: {12})\n"
      "  s: {8} = add(left: h, right: r)\n  y: {8} = relu(input: s)\n  output y = y\n}}\n",
      s.images, s.groups * s.inputs, s.height, s.width, s.groups * s.outputs, s.inputs,
      s.kernel_down, s.kernel_across, output, s.stride, s.padding, s.dilation, s.groups));
}

std::vector<Tensor> tensors(const WindowSizes& s) {
  const auto some = [](Dims dims, uint64_t seed) { return random(dims, seed).to(DType::bfloat16); };
  const int64_t outputs = s.groups * s.outputs;
  return {
      some({s.images, s.groups * s.inputs, s.height, s.width}, 1),
      some({outputs, s.inputs, s.kernel_down, s.kernel_across}, 2), some({outputs}, 3),
      some({s.images, outputs, s.made(s.height, s.kernel_down), s.made(s.width, s.kernel_across)},
           4)};
}

Tensor made(const Graph& graph, const std::vector<Tensor>& given, Instructions most, int threads) {
  const InstructionsLimit limit(most);
  return cpu({.threads = threads})->load(graph, {})->run(given).front();
}

}  // namespace

TEST_CASE("AMX GEMMs equal AVX-512 BF16 GEMMs on any number of threads") {
  if (!has_amx()) {
    skip("the processor has no AMX");
    return;
  }
  const InstructionsLimit limit(Instructions::amx);
  CHECK(cpu_backend::bfloat16_kernels()->gemm.a_block > 1);
  for (const int64_t rows : {1, 2, 16, 17, 32, 33, 65, 129}) {
    for (const int64_t columns : {1, 31, 70, 1030}) {
      for (const int64_t depth : {1, 31, 32, 33, 64, 770, 1540}) {
        if (columns > 1000 && depth > 64 && depth != 1540) continue;
        if (!all_cases() && columns > 1000 && rows != 17) continue;
        CAPTURE(rows);
        CAPTURE(columns);
        CAPTURE(depth);
        const Graph graph = product(rows, columns, depth);
        const std::vector<Tensor> given{random({rows, depth}, 1).to(DType::bfloat16),
                                        random({columns, depth}, 2).to(DType::bfloat16),
                                        random({columns}, 3).to(DType::bfloat16)};
        const Tensor alone = made(graph, given, Instructions::amx, 1);
        CHECK(difference(alone, made(graph, given, Instructions::avx512, 1), 8e-3) == "");
        for (const int threads : {2, 3}) {
          CHECK(identical(alone, made(graph, given, Instructions::amx, threads)));
        }
      }
    }
  }
}

TEST_CASE("AMX convolutions are right on any number of threads") {
  if (!has_amx()) {
    skip("the processor has no AMX");
    return;
  }
  const InstructionsLimit limit(Instructions::amx);
  for (const WindowSizes& s : {WindowSizes{1, 3, 30, 29, 24, 7, 7, 2, 3},
                               {2, 33, 9, 17, 40, 3, 3, 1, 1},
                               {1, 64, 7, 7, 96, 3, 3, 1, 1},
                               {1, 31, 56, 5, 33, 1, 1},
                               {1, 64, 5, 5, 993, 1, 1},
                               {1, 16, 40, 40, 16, 3, 3, 1, 1},
                               {3, 17, 13, 12, 65, 3, 2, 2, 1},
                               {1, 20, 15, 15, 18, 3, 3, 1, 2, 2},
                               {1, 20, 16, 11, 18, 3, 3, 3, 4, 3},
                               {2, 18, 8, 9, 17, 3, 3, 1, 1, 1, 3},
                               {2, 16, 8, 8, 16, 1, 1, 2, 0, 1, 20},
                               {1, 400, 3, 3, 32, 3, 3, 1, 1},
                               {1, 32, 1, 1, 48, 1, 1},
                               {1, 32, 300, 1, 16, 3, 1, 1, 1}}) {
    CAPTURE(s.inputs);
    CAPTURE(s.outputs);
    CAPTURE(s.height);
    CHECK(cpu_backend::suits_im2col(s.outputs, s.inputs * s.kernel_down * s.kernel_across));
    const Graph graph = convolution(s);
    const std::vector<Tensor> given = tensors(s);
    const Tensor alone = made(graph, given, Instructions::amx, 1);
    CHECK(difference(alone, made(graph, given, Instructions::avx512, 1), 8e-3) == "");
    // The reference also rounds between the operations.
    CHECK(difference(alone, interpret(graph, given).front(), 2e-2) == "");
    for (const int threads : {2, 3}) {
      CHECK(identical(alone, made(graph, given, Instructions::amx, threads)));
    }
  }
}

TEST_CASE("AMX convolutions read zeros beyond the input") {
  if (!has_amx()) {
    skip("the processor has no AMX");
    return;
  }
  // An odd number of k, whose last has no neighbour; each output has one number that is not finite.
  const WindowSizes sizes{1, 33, 6, 6, 16, 1, 1};
  std::vector<Tensor> given = tensors(sizes);
  Tensor input = given[0].to(DType::float32);
  input.mutable_values<float>()[32 * 36 + 7] = HUGE_VALF;
  given[0] = input.to(DType::bfloat16);
  const Graph graph = convolution(sizes);
  const Tensor expected = interpret(graph, given).front();
  CHECK(difference(made(graph, given, Instructions::amx, 1), expected, 8e-3) == "");
}

}  // namespace mithril::tests
