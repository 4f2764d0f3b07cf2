// Recurrences, cumulative sums and products, and sorting, along axes of sizes around those of
// vectors.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/random_sizes.hpp"

namespace mithril {
namespace {

std::string graph_of(const Dims& dims, const char* dtype, int64_t axis, bool reverse) {
  const std::string type = dtype + mithril::to_string(dims);
  const std::string options =
      fmt::format("axis: {}, reverse: {}", axis, reverse ? "True" : "False");
  std::string text = fmt::format("graph {{\n  input x: {0}\n  input d: {0}\n", type);
  text += fmt::format("  c: {0} = cumsum(input: x, {1})\n  output c = c\n", type, options);
  for (const char* exclusive : {"False", "True"}) {
    text += fmt::format("  s{0}: {1} = linear_scan(input: x, decay: d, {2}, exclusive: {0})\n",
                        exclusive, type, options);
    text += fmt::format("  p{0}: {1} = cumprod(input: x, {2}, exclusive: {0})\n", exclusive, type,
                        options);
    text += fmt::format("  output s{0} = s{0}\n  output p{0} = p{0}\n", exclusive);
  }
  return text + "}\n";
}

}  // namespace

TEST_CASE("scans are those of the reference for any size") {
  tests::Draw draw(3);
  const Dims all[] = {{2, 5, 1},     {2, 5, 3},  {3, 4, 4},  {1, 6, 7},   {2, 3, 8},
                      {2, 1, 9},     {3, 7, 17}, {2, 4, 33}, {1, 3, 511}, {2, 3, 513},
                      {2, 40, 1025}, {2, 0, 8},  {0, 3, 8},  {2, 3, 0}};
  for (const Dims& dims : all) {
    CAPTURE(mithril::to_string(dims));
    for (const DType dtype : {DType::float32, DType::float64}) {
      const bool is_double = dtype == DType::float64;
      const std::vector<Tensor> inputs{draw.normal(dims, dtype), draw.normal(dims, dtype)};
      for (const int64_t axis : {0, 1, -1}) {
        for (const bool reverse : {false, true}) {
          const std::string text = graph_of(dims, is_double ? "float64" : "float32", axis, reverse);
          for (const int threads : {1, 2})
            CHECK(tests::differing_output(text, inputs, threads, is_double ? 1e-12 : 1e-5) == "");
        }
      }
    }
  }
}

TEST_CASE("a scan may write where it reads") {
  const char* text =
      "graph {\n"
      "  input x: float32[3, 20]\n"
      "  input d: float32[3, 20]\n"
      "  a: float32[3, 20] = exp(input: x)\n"
      "  b: float32[3, 20] = linear_scan(input: a, decay: d, axis: 0, reverse: False, exclusive: "
      "True)\n"
      "  c: float32[3, 20] = sin(input: d)\n"
      "  e: float32[3, 20] = linear_scan(input: b, decay: c, axis: 0, reverse: True, exclusive: "
      "False)\n"
      "  output e = e\n"
      "}\n";
  CHECK(tests::differing_output(text, {tests::random({3, 20}, 1), tests::random({3, 20}, 2)}) ==
        "");
}

TEST_CASE("a recurrence ignores the decay of its first row") {
  std::vector<float> decays(24, 0.5F);
  std::fill_n(decays.begin(), 12, std::numeric_limits<float>::infinity());
  const std::string text = graph_of({2, 12}, "float32", 0, false);
  CHECK(tests::differing_output(text, {tests::random({2, 12}, 1), Tensor::of({2, 12}, decays)}) ==
        "");
}

TEST_CASE("argsort is that of the reference for any size, with equal elements") {
  tests::Draw draw(5);
  for (const int64_t size : {1, 2, 7, 8, 9, 16, 17, 100, 1001}) {
    for (const int64_t count : {int64_t{0}, int64_t{1}, size / 9, size / 2, size}) {
      for (const char* descending : {"False", "True"}) {
        CAPTURE(size);
        CAPTURE(count);
        CAPTURE(descending);
        const std::string text = fmt::format(
            "graph {{\n"
            "  input x: float32[3, {0}, 2]\n"
            "  y: int64[3, {1}, 2] = argsort(input: x, axis: 1, descending: {2}, count: {1})\n"
            "  output y = y\n"
            "}}\n",
            size, count, descending);
        for (const int threads : {1, 2}) {
          CHECK(tests::differing_output(text, {draw.integers({3, size, 2}, DType::float32)},
                                        threads) == "");
          CHECK(tests::differing_output(text, {draw.normal({3, size, 2}, DType::float32)},
                                        threads) == "");
        }
      }
    }
  }
}

TEST_CASE("argsort puts NaN after infinity, and keeps the order of zeros of either sign") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> row{0.0F, nan, -0.0F, infinity, -infinity, 1e-40F, -1e-40F, -nan, 0.0F};
  for (const char* descending : {"False", "True"}) {
    for (const int count : {1, 2, 9}) {
      const std::string text = fmt::format(
          "graph {{\n"
          "  input x: float32[9]\n"
          "  y: int64[{0}] = argsort(input: x, axis: -1, descending: {1}, count: {0})\n"
          "  output y = y\n"
          "}}\n",
          count, descending);
      CHECK(tests::differing_output(text, {Tensor::of({9}, row)}) == "");
    }
  }
}

}  // namespace mithril
