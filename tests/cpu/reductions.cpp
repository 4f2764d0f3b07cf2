// Sums, means and extremes along axes of every kind.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/kernels/row_kernels.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::cpu_backend {
namespace {

struct Case {
  Dims dims;
  std::string axis;
  Dims kept;
};

std::string graph_of(const Case& c, const char* dtype) {
  std::string text = fmt::format("graph {{\n  input x: {}{}\n", dtype, mithril::to_string(c.dims));
  for (const char* op : {"sum", "mean", "max", "min"}) {
    text += fmt::format("  {0}: {1}{2} = {0}(input: x, axis: {3}, keepdim: False)\n", op, dtype,
                        mithril::to_string(c.kept), c.axis);
    text += fmt::format("  output {0} = {0}\n", op);
  }
  return text + "}\n";
}

}  // namespace

TEST_CASE("reductions work for any set of axes") {
  const Case cases[] = {{{40, 70}, "1", {40}},
                        {{40, 70}, "0", {70}},
                        {{40, 70}, "None", {}},
                        {{40, 70}, "()", {40, 70}},
                        {{3, 4, 5, 6}, "(0, 2)", {4, 6}},
                        {{3, 4, 5, 6}, "(1, 3)", {3, 5}},
                        {{3, 4, 5, 6}, "(-1, 0)", {4, 5}},
                        {{1, 4, 1, 6}, "(0, 2)", {4, 6}},
                        {{200000}, "0", {}},
                        {{500, 700}, "0", {700}},
                        {{2, 300, 700}, "1", {2, 700}},
                        {{2, 70000}, "1", {2}},
                        {{}, "None", {}}};
  for (const Case& one : cases) {
    CAPTURE(mithril::to_string(one.dims));
    CAPTURE(one.axis);
    const std::vector<Tensor> inputs{tests::random(one.dims, 1)};
    for (const int threads : {1, 2}) {
      CHECK(tests::differing_output(graph_of(one, "float32"), inputs, threads) == "");
      CHECK(tests::differing_output(graph_of(one, "float64"), {inputs[0].to(DType::float64)},
                                    threads) == "");
    }
  }
}

TEST_CASE("sum_to sums broadcast axes") {
  const char* text =
      "graph {\n"
      "  input x: float32[4, 50, 300]\n"
      "  input a: float32[300]\n"
      "  input b: float32[4, 1, 300]\n"
      "  input c: float32[50, 1]\n"
      "  input e: float32[]\n"
      "  ya: float32[300] = sum_to(input: x, like: a)\n"
      "  yb: float32[4, 1, 300] = sum_to(input: x, like: b)\n"
      "  yc: float32[50, 1] = sum_to(input: x, like: c)\n"
      "  ye: float32[] = sum_to(input: x, like: e)\n"
      "  output ya = ya\n"
      "  output yb = yb\n"
      "  output yc = yc\n"
      "  output ye = ye\n"
      "}\n";
  const std::vector<Tensor> inputs{tests::random({4, 50, 300}, 1), tests::random({300}, 2),
                                   tests::random({4, 1, 300}, 3), tests::random({50, 1}, 4),
                                   tests::random({}, 5)};
  CHECK(tests::differing_output(text, inputs) == "");
  CHECK(tests::differing_output(text, inputs, 2) == "");
}

TEST_CASE("reductions work for rows of any length, and for NaN") {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const ReductionKernels<float>& kernels = reduction_kernels<float>(instructions);
    for (int64_t count = 1; count < 140; ++count) {
      std::vector<float> x;
      for (int64_t i = 0; i < count; ++i) x.push_back(static_cast<float>(i * 7 % 31));
      double sum = 0;
      for (const float element : x) sum += element;
      CHECK(kernels.sum.row(x.data(), count) == sum);
      CHECK(kernels.max.row(x.data(), count) == *std::max_element(x.begin(), x.end()));
      CHECK(kernels.min.row(x.data(), count) == 0);
      std::vector<double> totals(x.size(), 1);
      kernels.sum.rows(x.data(), totals.data(), count);
      for (size_t i = 0; i < x.size(); ++i) CHECK(totals[i] == x[i] + 1);
      x[static_cast<size_t>(count) / 2] = std::nanf("");
      CHECK(std::isnan(kernels.max.row(x.data(), count)));
      CHECK(std::isnan(kernels.min.row(x.data(), count)));
      kernels.max.rows(x.data(), totals.data(), count);
      CHECK(std::isnan(totals[static_cast<size_t>(count) / 2]));
    }
    const std::vector<float> all(20, -infinite);
    CHECK(kernels.max.row(all.data(), 20) == -infinite);
  }
}

TEST_CASE("many small numbers are not lost in a large sum") {
  const std::vector<float> x(10'000'000, 0.1F);
  for (const Instructions instructions : present_instructions()) {
    const double sum = reduction_kernels<float>(instructions).sum.row(x.data(), 10'000'000);
    CHECK(sum == doctest::Approx(1e6).epsilon(1e-6));
  }
}

}  // namespace mithril::cpu_backend
