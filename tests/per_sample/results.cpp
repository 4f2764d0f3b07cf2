// PerSample of C++ beside evaluations of single samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/per_sample/per_sample.hpp"
#include "mithril/tensor/functions.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

// Two layers whose losses are [B, 3].
CompiledModel regression(std::vector<std::string> frozen = {}) {
  Model model;
  model |= Linear({.dimension = 6}).named("first")({{"input", "x"}, {"output", "hidden"}});
  model |= Tanh()({{"input", "hidden"}, {"output", "active"}});
  model |= Linear({.dimension = 3}).named("second")({{"input", "active"}, {"output", "y"}});
  model |= SquaredError()({{"input", "y"}, {"target", "target"}, {"output", "losses"}});
  return compile(
      model, cpu({.dtype = DType::float64}),
      {.shapes = {{"x", {any, 4}}}, .data_keys = {"x", "target"}, .frozen = std::move(frozen)});
}

Tensor rows(int64_t count, int64_t width, double phase) {
  Tensor made(DType::float64, {count, width});
  double at = phase;
  for (double& each : made.mutable_values<double>()) each = std::sin(at += 0.7);
  return made;
}

TensorMap batch(int64_t count, double phase) {
  return {{"x", rows(count, 4, phase)}, {"target", rows(count, 3, phase + 0.3)}};
}

// Evaluates each sample by itself, and returns its gradients of all parameters.
std::vector<std::vector<double>> by_single_samples(const CompiledModel& model,
                                                   const TensorMap& params, const TensorMap& data) {
  std::vector<std::vector<double>> found;
  for (int64_t i = 0; i < data.at("x").dims()[0]; ++i) {
    TensorMap one;
    for (const auto& item : data) one[item.key()] = slice(item.tensor(), 0, i, i + 1);
    Tensor ones(DType::float64, {1, 3});
    for (double& each : ones.mutable_values<double>()) each = 1;
    const auto [outputs, gradients] = model.evaluate(params, one, TensorMap{{"losses", ones}});
    std::vector<double>& whole = found.emplace_back();
    for (const auto& item : params) {
      for (const double each : gradients.at(item.key()).values<double>()) whole.push_back(each);
    }
  }
  return found;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

TEST_CASE("frozen parameters are not part of norms, sums and inner products") {
  const CompiledModel whole = regression(), model = regression({"first.*"});
  const TensorMap params = whole.get_parameters(1), data = batch(5, 0), validation = batch(3, 5);
  const PerSample all(whole, {.losses = "losses"}), samples(model, {.losses = "losses"});
  const std::vector<std::string> keys = {"second.weight", "second.bias"};

  const SampleNorms norms = samples.norms(params, data), expected = all.norms(params, data);
  CHECK(norms.by_key.keys() == keys);
  for (size_t i = 0; i < 5; ++i) {
    double square = 0;
    for (const std::string& key : keys)
      square += std::pow(expected.by_key.at(key).values<double>()[i], 2);
    CHECK(norms.total.values<double>()[i] == doctest::Approx(std::sqrt(square)).epsilon(1e-12));
  }
  const SampleDots dots = samples.dots(params, data, validation);
  const SampleDots whole_dots = all.dots(params, data, validation);
  CHECK(dots.gradients.keys() == keys);
  for (size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (const std::string& key : keys) sum += whole_dots.by_key.at(key).values<double>()[i];
    CHECK(dots.total.values<double>()[i] == doctest::Approx(sum).epsilon(1e-12));
  }
  CHECK(samples.gradients(params, data).keys() == keys);
  CHECK(samples.clipped_gradients(params, data, 0.1).gradients.keys() == keys);
  CHECK(samples.projections(params, data, {.rank = 2}).metadata.size() == 2);
  samples.verify(params, data);
}

TEST_CASE("samples of a model whose parameters are all frozen have no gradients") {
  CHECK(text_of_error([] { PerSample(regression({"*"}), {.losses = "losses"}); }) ==
        "mithril.GradientError[E0514]: all parameters are frozen, so its samples have no "
        "gradients");
}

TEST_CASE("norms, inner products and sums of single samples follow from their gradients") {
  const CompiledModel model = regression();
  const TensorMap params = model.get_parameters(1);
  for (const int64_t count : {1, 5}) {
    CAPTURE(count);
    const TensorMap data = batch(count, 0), validation = batch(3, 5);
    const auto expected = by_single_samples(model, params, data);
    const auto others = by_single_samples(model, params, validation);
    const PerSample samples(model, {.losses = "losses"});

    const SampleNorms norms = samples.norms(params, data);
    const SampleDots sums = samples.dots(params, data, validation);
    const SampleDots pairs = samples.dots(params, data, validation, {.pairs = true});
    REQUIRE(pairs.total.dims() == std::vector<int64_t>{count, 3});
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(norms.total.values<double>()[i] ==
            doctest::Approx(std::sqrt(inner(expected[i], expected[i]))).epsilon(1e-10));
      double sum = 0;
      for (size_t j = 0; j < others.size(); ++j) {
        sum += inner(expected[i], others[j]);
        CHECK(pairs.total.values<double>()[i * 3 + j] ==
              doctest::Approx(inner(expected[i], others[j])).epsilon(1e-10));
      }
      CHECK(sums.total.values<double>()[i] == doctest::Approx(sum).epsilon(1e-10));
    }

    // Half of the norms are above the bound.
    std::vector<double> sorted(norms.total.values<double>().begin(),
                               norms.total.values<double>().end());
    std::sort(sorted.begin(), sorted.end());
    const double bound = sorted[sorted.size() / 2];
    const ClippedGradients clipped = samples.clipped_gradients(params, data, bound);
    std::vector<double> weights;
    for (const double norm : norms.total.values<double>())
      weights.push_back(std::min(1.0, bound / norm));
    const TensorMap weighted =
        samples.weighted_gradients(params, data, Tensor::of<double>({count}, weights));
    size_t at = 0;
    for (const auto& item : params) {
      const auto clipped_values = clipped.gradients.at(item.key()).values<double>();
      const auto weighted_values = weighted.at(item.key()).values<double>();
      for (size_t k = 0; k < clipped_values.size(); ++k, ++at) {
        double sum = 0;
        for (size_t i = 0; i < expected.size(); ++i) sum += weights[i] * expected[i][at];
        CHECK(clipped_values[k] == doctest::Approx(sum).epsilon(1e-10));
        CHECK(weighted_values[k] == doctest::Approx(sum).epsilon(1e-10));
      }
    }
    samples.verify(params, data);
  }
}

TEST_CASE("explain lists the strategy of each parameter of the last call") {
  const CompiledModel model = regression();
  const PerSample samples(model, {.losses = "losses"});
  CHECK(samples.explain() == "No call has been made yet.\n");
  samples.norms(model.get_parameters(), batch(5, 0));
  CHECK(samples.explain().find("first.weight") != std::string::npos);
  CHECK(samples.exported_norms(batch(5, 0)).outputs.size() ==
        5);  // in total, and of each parameter
}

TEST_CASE("validation data with another key names the map and the key") {
  const CompiledModel model = regression();
  const PerSample samples(model, {.losses = "losses"});
  TensorMap other = batch(2, 1);
  other["label"] = rows(2, 3, 0);
  CHECK(text_of_error([&] { samples.dots(model.get_parameters(), batch(2, 0), other); }) ==
        "mithril.InputError[E0802]: validation: there is no data input 'label'\n"
        "  known : x, target");
}

}  // namespace mithril::tests
