// Attention: blocks of rows, masks of every form, broadcast batches, and fully masked queries.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "backends/cpu/kernels/row_kernels.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::cpu_backend {
namespace {

struct Attending {
  std::string query, key, value, output, weights, mask = "", mask_dtype = "float32",
                                                  causal = "False";
};

std::string graph_of(const Attending& a) {
  const std::string mask =
      a.mask.empty() ? "" : fmt::format("  input m: {}{}\n", a.mask_dtype, a.mask);
  return fmt::format(
      "graph {{\n  input q: float32{}\n  input k: float32{}\n  input v: float32{}\n{}"
      "  y: float32{} = scaled_dot_product(query: q, key: k, value: v, attn_mask: {}, is_causal: "
      "{}, scale: None, dropout_p: 0.0)\n"
      "  w: float32{} = attention_weights(query: q, key: k, attn_mask: {}, is_causal: {}, scale: "
      "0.3)\n  output y = y\n  output w = w\n}}\n",
      a.query, a.key, a.value, mask, a.output, a.mask.empty() ? "None" : "m", a.causal, a.weights,
      a.mask.empty() ? "None" : "m", a.causal);
}

}  // namespace

TEST_CASE("attention works with more rows than one block has") {
  for (const char* causal : {"False", "True"}) {
    const std::string text = graph_of({.query = "[2, 150, 24]",
                                       .key = "[2, 700, 24]",
                                       .value = "[2, 700, 40]",
                                       .output = "[2, 150, 40]",
                                       .weights = "[2, 150, 700]",
                                       .causal = causal});
    const std::vector<Tensor> inputs{tests::random({2, 150, 24}, 1), tests::random({2, 700, 24}, 2),
                                     tests::random({2, 700, 40}, 3)};
    CHECK(tests::differing_output(text, inputs) == "");
    CHECK(tests::differing_output(text, inputs, 2) == "");
  }
}

TEST_CASE("batches and masks broadcast") {
  const Tensor queries = tests::random({3, 1, 5, 8}, 1), keys = tests::random({2, 7, 8}, 2),
               values = tests::random({1, 1, 7, 3}, 3);
  const auto with = [&](std::string dims, const Tensor& mask, const char* dtype) {
    const std::string text = graph_of({.query = "[3, 1, 5, 8]",
                                       .key = "[2, 7, 8]",
                                       .value = "[1, 1, 7, 3]",
                                       .output = "[3, 2, 5, 3]",
                                       .weights = "[3, 2, 5, 7]",
                                       .mask = std::move(dims),
                                       .mask_dtype = dtype});
    return tests::differing_output(text, {queries, keys, values, mask}, 2);
  };
  CHECK(with("[5, 7]", tests::random({5, 7}, 4), "float32") == "");
  CHECK(with("[3, 1, 1, 7]", tests::random({3, 1, 1, 7}, 4), "float32") == "");
  CHECK(with("[2, 5, 1]", tests::random({2, 5, 1}, 4), "float32") == "");
  CHECK(with("[]", tests::random({}, 4), "float32") == "");
  Tensor keeps(DType::boolean, {3, 2, 5, 7});  // the first queries are fully masked
  for (size_t i = 7; i < 210; ++i) keeps.mutable_values<bool>()[i] = i % 3 != 0;
  CHECK(with("[3, 2, 5, 7]", keeps, "bool") == "");
}

TEST_CASE("attention weights work for rows of any length") {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const auto attend = row_kernels<float>(instructions).attend;
    for (int64_t count = 1; count < 140; ++count) {
      const Tensor scores = tests::random({count}, 1), bias = tests::random({count}, 2);
      std::vector<float> made(static_cast<size_t>(count));
      attend(scores.data<float>(), 0.5F, bias.data<float>(), made.data(), count);
      double sum = 0;
      const auto power = [&](size_t i) {
        return std::exp(scores.values<float>()[i] * 0.5 + bias.values<float>()[i]);
      };
      for (size_t i = 0; i < made.size(); ++i) sum += power(i);
      for (size_t i = 0; i < made.size(); ++i)
        REQUIRE(made[i] == doctest::Approx(power(i) / sum).epsilon(1e-5));
      std::vector<float> nothing(static_cast<size_t>(count), -infinite);
      attend(nothing.data(), 1, nullptr, nothing.data(), count);
      for (const float weight : nothing) REQUIRE(weight == 0);
      nothing.back() = std::nanf("");
      attend(nothing.data(), 1, nullptr, nothing.data(), count);
      for (const float weight : nothing) REQUIRE(std::isnan(weight));
    }
  }
}

}  // namespace mithril::cpu_backend
