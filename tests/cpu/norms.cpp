// Normalised rows and their gradients: sizes around those of vectors, and constant rows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "backends/cpu/kernels/row_kernels.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::cpu_backend {
namespace {

std::vector<float> some(int64_t count, std::uint64_t seed) {
  const Tensor tensor = tests::random({count}, seed);
  return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

}  // namespace

TEST_CASE("layer norms work for rows of any length") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const NormKernels<float>& kernels = norm_kernels<float>(instructions);
    for (int64_t count = 1; count < 140; ++count) {
      CAPTURE(count);
      const std::vector<float> x = some(count, 1), weight = some(count, 2), bias = some(count, 3);
      double mean = 0, squares = 0;
      for (const float element : x) mean += element / static_cast<double>(count);
      for (const float element : x) squares += std::pow(element - mean, 2);
      const double rstd = 1 / std::sqrt(squares / static_cast<double>(count) + 1e-5);
      std::vector<float> made = x, plain(x.size());
      const RowMoments<float> moments = kernels.normalise(made.data(), weight.data(), bias.data(),
                                                          1e-5, made.data(), count, count);
      kernels.normalise(x.data(), nullptr, nullptr, 1e-5, plain.data(), count, count);
      REQUIRE(moments.mean == doctest::Approx(mean).epsilon(1e-5));
      REQUIRE(moments.rstd == doctest::Approx(rstd).epsilon(1e-5));
      for (size_t i = 0; i < x.size(); ++i) {
        const double unit = (x[i] - mean) * rstd;
        REQUIRE(plain[i] == doctest::Approx(unit).epsilon(1e-4));
        REQUIRE(made[i] == doctest::Approx(unit * weight[i] + bias[i]).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("a row with NaN is normalised to NaN") {
  for (const Instructions instructions : present_instructions()) {
    std::vector<float> x(40, 1);
    x[33] = std::nanf("");
    norm_kernels<float>(instructions).normalise(x.data(), nullptr, nullptr, 0, x.data(), 40, 40);
    for (const float element : x) CHECK(std::isnan(element));
  }
}

TEST_CASE("norms and their gradients have the same bits on any number of threads") {
  for (const int64_t columns : {1, 17, 600, 1001}) {
    CAPTURE(columns);
    const std::string text = fmt::format(
        "graph {{\n"
        "  input x: float32[70, {0}]\n"
        "  input w: float32[{0}]\n"
        "  input b: float32[{0}]\n"
        "  y: float32[70, {0}], m: float32[70, 1], r: float32[70, 1] = layer_norm(input: x, "
        "weight: w, bias: b, eps: 0.01)\n"
        "  z: float32[70, {0}], n: float32[70, 1], s: float32[70, 1] = layer_norm(input: y, "
        "weight: None, bias: b, eps: 0.1)\n"
        "  dx: float32[70, {0}], dw: float32[{0}], db: float32[{0}] = layer_norm_grad(grad: z, "
        "input: x, mean: m, rstd: r, weight: w)\n"
        "  dy: float32[70, {0}], dv: float32[{0}], dc: float32[{0}] = layer_norm_grad(grad: dx, "
        "input: y, mean: n, rstd: s, weight: None)\n"
        "  output dw = dw\n"
        "  output db = db\n"
        "  output dy = dy\n"
        "  output dv = dv\n"
        "}}\n",
        columns);
    const std::vector<Tensor> inputs{tests::random({70, columns}, 1), tests::random({columns}, 2),
                                     tests::random({columns}, 3)};
    CHECK(tests::differing_output(text, inputs) == "");
    CHECK(tests::differing_output(text, inputs, 2) == "");
  }
}

TEST_CASE("the gradient of a row of one element is zero") {
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const std::vector<float> grads = some(200, 1), inputs = some(200, 2), weights = some(200, 3);
    for (size_t i = 0; i < grads.size(); ++i) {
      float made = 1;
      norm_kernels<float>(instructions)
          .input_grad(&grads[i], &inputs[i], {inputs[i], 316.0f}, &weights[i], &made, 1);
      REQUIRE(made == 0);
    }
  }
}

}  // namespace mithril::cpu_backend
