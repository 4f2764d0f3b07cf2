// Products of bfloat16 by the processor's unit for them (AMX), of every shape of its registers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/kernels/amx_kernels.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/apart.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::Instructions;

Graph product(int64_t rows, int64_t columns, int64_t depth) {
  return parse_graph(
      fmt::format("graph {{\n  input x: bfloat16[{0}, {2}]\n  input w: bfloat16[{1}, {2}]\n"
                  "  input b: bfloat16[{1}]\n  h: bfloat16[{0}, {1}] = linear(input: x, weight: w, "
                  "bias: b)\n  y: bfloat16[{0}, {1}] = relu(input: h)\n  output y = y\n}}\n",
                  rows, columns, depth));
}

Tensor made(const Graph& graph, const std::vector<Tensor>& given, Instructions most, int threads) {
  const InstructionsLimit limit(most);
  return cpu({.threads = threads})->load(graph, {})->run(given).front();
}

}  // namespace

TEST_CASE("the processor's products of matrices are those of pairs, on any number of threads") {
  if (!cpu_backend::has_amx()) {
    MESSAGE("skipped: this processor has no AMX");
    return;
  }
  CHECK(cpu_backend::bfloat16_kernels()->products.left_block > 1);
  for (const int64_t rows : {1, 2, 16, 17, 32, 33, 65, 129}) {
    for (const int64_t columns : {1, 31, 70}) {
      for (const int64_t depth : {1, 31, 32, 33, 64, 770, 1540}) {
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

}  // namespace mithril::tests
