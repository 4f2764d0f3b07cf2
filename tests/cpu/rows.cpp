// Softmax and similar ops, row by row: sizes around those of vectors, NaN and infinity.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "backends/cpu/kernels/row_kernels.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr float unbounded = std::numeric_limits<float>::infinity();

std::vector<float> softmax(const std::vector<float>& row, Instructions instructions) {
  std::vector<float> made(row.size());
  const auto count = static_cast<int64_t>(row.size());
  row_kernels<float>(instructions).softmax(row.data(), row.data(), made.data(), count, count);
  return made;
}

}  // namespace

TEST_CASE("softmax works for rows of any length") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    for (int64_t count = 1; count < 70; ++count) {
      const Tensor x = tests::random({count}, static_cast<std::uint64_t>(count));
      const std::vector<float> row(x.values<float>().begin(), x.values<float>().end());
      double sum = 0;
      for (const float number : row) sum += std::exp(static_cast<double>(number));
      const std::vector<float> made = softmax(row, instructions);
      for (size_t i = 0; i < row.size(); ++i) {
        REQUIRE(made[i] == doctest::Approx(std::exp(static_cast<double>(row[i])) / sum));
      }
    }
  }
}

TEST_CASE("softmax handles numbers whose exponentials overflow or underflow") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    CHECK(softmax({1000, 1000, -unbounded}, instructions) == std::vector<float>{0.5, 0.5, 0});
    CHECK(softmax({-1000, -1000}, instructions) == std::vector<float>{0.5, 0.5});
    for (const float none : {unbounded, std::nanf("")}) {
      std::vector<float> row(40, 1);
      row[17] = none;
      CHECK(std::isnan(softmax(row, instructions)[17]));
    }
    CHECK(std::isnan(softmax({-unbounded, -unbounded}, instructions)[0]));
  }
}

TEST_CASE("softmax handles numbers far from zero and far from each other") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    for (const float base : {-3e4F, 0.F, 777.F}) {
      std::vector<float> row;
      for (int i = 0; i < 150; ++i) row.push_back(base - static_cast<float>(i) * 0.5F);
      double sum = 0;
      for (const float number : row) sum += std::exp(static_cast<double>(number) - row.front());
      const std::vector<float> made = softmax(row, instructions);
      for (size_t i = 0; i < row.size(); ++i) {
        const double expected = std::exp(static_cast<double>(row[i]) - row.front()) / sum;
        const double allowed = (5 + 0.5 * static_cast<double>(i)) * 1e-7;
        REQUIRE(std::abs(made[i] - expected) <= allowed * expected);
      }
    }
  }
}

TEST_CASE("softmax returns 0 in place of subnormal numbers") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    std::vector<float> row{0};
    for (int i = 0; i < 200; ++i) row.push_back(-80 - static_cast<float>(i) * 0.125F);
    const std::vector<float> made = softmax(row, instructions);
    for (size_t i = 0; i < row.size(); ++i) {
      CAPTURE(row[i]);
      CHECK((made[i] == 0) == (row[i] < -86.65F));
      CHECK(std::fpclassify(made[i]) != FP_SUBNORMAL);
    }
  }
}

TEST_CASE("softmax and its gradients have the same bits on any number of threads") {
  const std::string text =
      "graph {\n"
      "  input x: float32[60, 1001]\n"
      "  input g: float32[60, 1001]\n"
      "  e: float32[60, 1001] = exp(input: x)\n"
      "  a: float32[60, 1001] = softmax(input: e, axis: -1)\n"
      "  b: float32[60, 1001] = log_softmax(input: x, axis: 1)\n"
      "  c: float32[60, 1001] = softmax_grad(grad: g, result: a, axis: 1)\n"
      "  d: float32[60, 1001] = log_softmax_grad(grad: c, result: b, axis: -1)\n"
      "  f: float32[60, 1001] = softmax(input: d, axis: 0)\n"
      "  output b = b\n"
      "  output d = d\n"
      "  output f = f\n"
      "}\n";
  const std::vector<Tensor> inputs{tests::random({60, 1001}, 1), tests::random({60, 1001}, 2)};
  CHECK(tests::differing_output(text, inputs) == "");
  CHECK(tests::differing_output(text, inputs, 2) == "");
}

}  // namespace mithril::cpu_backend
