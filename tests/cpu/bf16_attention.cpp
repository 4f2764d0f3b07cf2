// bfloat16 attention as VNNI pairs: odd widths and counts, masks, blocks of rows, and fully masked
// queries.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/executable.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/table/compare.hpp"

namespace mithril::cpu_backend {
namespace {

struct Heads {
  int64_t rows, columns, width, value_width;
  const char* causal = "False";
};

Graph attention_of(const Heads& s, const char* mask) {
  return parse_graph(fmt::format(
      "graph {{\n  input q: bfloat16[3, 2, {0}, {2}]\n  input k: bfloat16[2, {1}, {2}]\n"
      "  input v: bfloat16[3, 1, {1}, {3}]\n  input m: {4}\n"
      "  y: bfloat16[3, 2, {0}, {3}] = scaled_dot_product(query: q, key: k, value: v, attn_mask: m,"
      " is_causal: {5}, scale: None, dropout_p: 0.0)\n  output y = y\n}}\n",
      s.rows, s.columns, s.width, s.value_width, mask, s.causal));
}

std::vector<Tensor> heads_of(const Heads& s, Tensor mask) {
  const auto some = [](const Dims& dims, uint64_t seed) {
    return tests::random(dims, seed).to(DType::bfloat16);
  };
  return {some({3, 2, s.rows, s.width}, 1), some({2, s.columns, s.width}, 2),
          some({3, 1, s.columns, s.value_width}, 3), std::move(mask)};
}

void check_attention(const Graph& graph, const std::vector<Tensor>& given) {
  const Tensor expected = interpret(graph, given).front();
  for (const bool pairs : {false, true}) {
    CAPTURE(pairs);
    const auto made = [&](int threads) {
      const Config config{.threads = threads, .bfloat16_products = pairs};
      return make_executable(graph, config)->run(given).front();
    };
    const Tensor alone = made(1);
    CHECK(tests::difference(alone, expected, 1.6e-2) == "");
    for (const int threads : {2, 3}) CHECK(identical(made(threads), alone));
  }
}

}  // namespace

TEST_CASE("bfloat16 attention works for any number of rows, columns and elements") {
  for (const Heads& s : {Heads{1, 1, 1, 1},
                         {2, 7, 8, 3},
                         {5, 6, 9, 32},
                         {33, 128, 64, 64},
                         {64, 63, 33, 40},
                         {150, 31, 24, 17, "True"},
                         {70, 70, 16, 16, "True"},
                         {130, 700, 24, 40}}) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(s.width);
    check_attention(attention_of(s, "bfloat16[]"), heads_of(s, Tensor(DType::bfloat16, {})));
    const Dims dims{2, s.rows, s.columns};
    const std::string mask = fmt::format("bfloat16[2, {}, {}]", s.rows, s.columns);
    check_attention(attention_of(s, mask.c_str()),
                    heads_of(s, tests::random(dims, 4).to(DType::bfloat16)));
  }
}

TEST_CASE("bfloat16 attention matches the reference for a query whose keys are all masked") {
  const Heads s{20, 18, 16, 16};
  Tensor keeps(DType::boolean, {20, 18});  // the first is fully masked
  for (size_t i = 18; i < 360; ++i) keeps.mutable_values<bool>()[i] = i % 3 != 0;
  check_attention(attention_of(s, "bool[20, 18]"), heads_of(s, keeps));
}

}  // namespace mithril::cpu_backend
