// Initial parameters, and loading a state dict.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril {
namespace {

Model sum_of(const std::vector<std::string>& keys) {
  Model model;
  std::string sum = "x";
  for (const std::string& key : keys) {
    model |= Model::op("add")({{"left", sum}, {"right", key}, {"output", "plus_" + key}});
    sum = "plus_" + key;
  }
  return model;
}

struct Spread {
  double low, high, mean, deviation;
};
Spread spread(const Tensor& tensor) {
  Spread spread{tensor.at_as_double(0), tensor.at_as_double(0), 0, 0};
  const auto count = static_cast<double>(tensor.size());
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.at_as_double(i);
    spread.low = std::min(spread.low, value);
    spread.high = std::max(spread.high, value);
    spread.mean += value / count;
    spread.deviation += value * value / count;
  }
  spread.deviation = std::sqrt(spread.deviation - spread.mean * spread.mean);
  return spread;
}

using Distribution = Initializer::Distribution;

}  // namespace

TEST_CASE("parameters start with the distributions of their layers") {
  Model model = sum_of({"zeros", "ones", "constant", "uniform", "normal", "fan", "fan_of_fan"});
  model.set_initializer("zeros", {.distribution = Distribution::zeros});
  model.set_initializer("ones", {.distribution = Distribution::ones});
  model.set_initializer("constant", {.distribution = Distribution::constant, .a = 7});
  model.set_initializer("uniform", {.distribution = Distribution::uniform, .a = 2, .b = 4});
  model.set_initializer("normal", {.distribution = Distribution::normal, .a = 10, .b = 0.5});
  model.set_initializer("fan", {.distribution = Distribution::uniform_fan_in, .b = 3});
  model.set_initializer("fan_of_fan",
                        {.distribution = Distribution::uniform_fan_in, .b = 3, .fan_of = "fan"});
  CompileOptions options;
  for (const char* key : {"zeros", "ones", "constant", "uniform", "normal", "fan"}) {
    options.shapes.push_back({key, {64, 100}});
  }
  options.shapes.push_back({"fan_of_fan", {100}});
  const TensorMap params = compile(model, cpu(), options).get_parameters();
  CHECK(identical(params.at("zeros"), Tensor(DType::float32, {64, 100})));
  CHECK(identical(params.at("ones"), Tensor::full(DType::float32, {64, 100}, 1)));
  CHECK(identical(params.at("constant"), Tensor::full(DType::float32, {64, 100}, 7)));
  const Spread uniform = spread(params.at("uniform"));
  CHECK(uniform.low == doctest::Approx(2).epsilon(0.01));
  CHECK(uniform.high == doctest::Approx(4).epsilon(0.01));
  const Spread normal = spread(params.at("normal"));
  CHECK(normal.mean == doctest::Approx(10).epsilon(0.01));
  CHECK(normal.deviation == doctest::Approx(0.5).epsilon(0.05));
  const Spread fan = spread(params.at("fan"));
  CHECK(fan.low == doctest::Approx(-0.3).epsilon(0.01));
  CHECK(fan.high == doctest::Approx(0.3).epsilon(0.01));
  const Spread other = spread(params.at("fan_of_fan"));
  CHECK(other.high == doctest::Approx(0.3).epsilon(0.1));
  CHECK(other.high <= 0.3);
}

TEST_CASE("initializers by Xavier and Kaiming have the deviations of their papers") {
  const std::vector<std::pair<std::string, Initializer>> all = {
      {"xavier_uniform", xavier_uniform(2)},
      {"xavier_normal", xavier_normal()},
      {"kaiming_uniform", kaiming_uniform()},
      {"kaiming_normal", kaiming_normal({.gain = 1, .fan_out = true})}};
  // A shape [200, 50, 2] has a fan in of 100 and a fan out of 400.
  const std::vector<double> deviations = {2 / std::sqrt(250.0), 1 / std::sqrt(250.0),
                                          std::sqrt(2.0 / 100), 1 / std::sqrt(400.0)};
  std::vector<std::string> keys;
  CompileOptions options;
  for (const auto& [key, initializer] : all) {
    keys.push_back(key);
    options.shapes.push_back({key, {200, 50, 2}});
  }
  Model model = sum_of(keys);
  for (const auto& [key, initializer] : all) model.set_initializer(key, initializer);
  const TensorMap params = compile(model, cpu(), options).get_parameters();
  for (size_t i = 0; i < all.size(); ++i) {
    const Spread values = spread(params.at(all[i].first));
    CAPTURE(all[i].first);
    CHECK(values.deviation == doctest::Approx(deviations[i]).epsilon(0.02));
    if (i % 2 == 0)
      CHECK(values.high == doctest::Approx(deviations[i] * std::sqrt(3)).epsilon(0.01));
  }
}

TEST_CASE("a function makes the first values of a parameter") {
  Model model = sum_of({"w"});
  model.set_initializer(
      "w", {.distribution = Distribution::function,
            .function = [](const Dims& dims,
                           std::uint64_t) { return Tensor::full(DType::float64, dims, 2); },
            .zero_row = 1});
  const TensorMap params = compile(model, cpu(), {.shapes = {{"w", {2, 2}}}}).get_parameters();
  CHECK(identical(params.at("w"), Tensor::of<float>({2, 2}, {2, 2, 0, 0})));
}

TEST_CASE("parameters without an initializer are uniform in +-1/sqrt(fan in)") {
  const CompiledModel compiled = compile(sum_of({"w"}), cpu(), {.shapes = {{"w", {300, 4, 4}}}});
  const Spread values = spread(compiled.get_parameters().at("w"));
  CHECK(values.low == doctest::Approx(-0.25).epsilon(0.01));
  CHECK(values.high == doctest::Approx(0.25).epsilon(0.01));
}

TEST_CASE("equal seeds give equal parameters, other seeds give others") {
  const CompiledModel compiled = compile(sum_of({"w"}), cpu(), {.shapes = {{"w", {8}}}});
  CHECK(identical(compiled.get_parameters(3).at("w"), compiled.get_parameters(3).at("w")));
  CHECK_FALSE(identical(compiled.get_parameters(3).at("w"), compiled.get_parameters(4).at("w")));
}

TEST_CASE("the initial value of a parameter does not depend on other parameters") {
  const CompiledModel one = compile(sum_of({"w"}), cpu(), {.shapes = {{"w", {8}}}});
  const CompiledModel two =
      compile(sum_of({"v", "w"}), cpu(), {.shapes = {{"v", {8}}, {"w", {8}}}});
  CHECK(identical(one.get_parameters().at("w"), two.get_parameters().at("w")));
  CHECK_FALSE(identical(two.get_parameters().at("v"), two.get_parameters().at("w")));
}

TEST_CASE("randomized parameters are standard normal, or uniform in their interval") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "w"}, {"output", "y"}});
  model |= Model::op("add")({{"left", "y"},
                             {"right", IOKey{.name = "v", .interval = std::pair(3.0, 5.0)}},
                             {"output", "z"}});
  const CompiledModel compiled = compile(model, cpu({.dtype = DType::float64}),
                                         {.shapes = {{"w", {100, 100}}, {"v", {100, 100}}}});
  const TensorMap params = compiled.randomize_params(1);
  CHECK(params.at("w").dtype() == DType::float64);
  CHECK(spread(params.at("w")).mean == doctest::Approx(0).epsilon(0.05));
  CHECK(spread(params.at("w")).deviation == doctest::Approx(1).epsilon(0.05));
  CHECK(spread(params.at("v")).low >= 3);
  CHECK(spread(params.at("v")).high < 5);
  CHECK(spread(params.at("v")).mean == doctest::Approx(4).epsilon(0.01));
}

TEST_CASE("load_state_dict returns parameters in the order and width of the model") {
  const CompiledModel compiled =
      compile(sum_of({"v", "w"}), cpu(), {.shapes = {{"v", {2}}, {"w", {2}}}});
  const TensorMap params = compiled.load_state_dict(
      {{"w", Tensor::of<double>({2}, {1, 2})}, {"v", Tensor::of<float>({2}, {3, 4})}});
  CHECK(params.keys() == std::vector<std::string>{"v", "w"});
  CHECK(identical(params.at("w"), Tensor::of<float>({2}, {1, 2})));
}

}  // namespace mithril
