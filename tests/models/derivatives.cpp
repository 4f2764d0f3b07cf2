// Derivatives as parts: values, orders, the paths that count, states, and errors.
// python/tests/test_derivatives.py compares with torch.func.
#include "mithril/models/derivatives.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"

namespace mithril::tests {
namespace {

Tensor vector_of(const std::vector<double>& values) {
  return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
}

Connection input(const char* name, const ShapeSpec& shape) {
  return Connection(IOKey{.name = name, .shape = shape});
}

TensorMap evaluated(const Model& model, const TensorMap& data, const TensorMap& params = {}) {
  CompileOptions options;
  for (const auto& [key, tensor] : data) options.data_keys.emplace_back(key);
  return compile(model, cpu({.dtype = DType::float64}), options).evaluate(params, data);
}

void check_close(const Tensor& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(got.at_as_double(static_cast<std::int64_t>(i)) ==
          doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("gradients of connections are connections, to any order") {
  const Connection x = input("x", {"N"});
  const Connection u = apply("sin", {x}), d1 = gradient(u, x, 1.0), d2 = gradient(d1, x, 1.0),
                   d3 = gradient(d2, x, 1.0);
  const TensorMap outputs =
      evaluated(Model::create({{"d1", d1}, {"d2", d2}, {"d3", d3}}), {{"x", vector_of({0.3, 2})}});
  check_close(outputs.at("d1"), {std::cos(0.3), std::cos(2)});
  check_close(outputs.at("d2"), {-std::sin(0.3), -std::sin(2)});
  check_close(outputs.at("d3"), {-std::cos(0.3), -std::cos(2)});
}

TEST_CASE("many gradients follow each other") {
  // Gradient descent on sum(x^4), written out: each step is x - 0.1 * 4 x^3.
  Connection x = input("x", {2});
  const Connection start = x;
  for (int i = 0; i < 60; ++i) x = x - gradient((x * x * x * x).sum(), x) * 0.1;
  std::vector<double> expected{0.5, -1};
  for (double& value : expected) {
    for (int i = 0; i < 60; ++i) value -= 0.4 * value * value * value;
  }
  check_close(evaluated(Model::create({{"y", x}}), {{"x", vector_of({0.5, -1})}}).at("y"),
              expected);
}

TEST_CASE("a gradient model differentiates by data, and by parameters") {
  Model net;
  net |= Linear({.dimension = 1, .use_bias = false})({{"input", "x"}, {"output", "y"}});
  net |= Sum()({{"input", "y"}, {"output", "total"}});
  const Model model = Gradient(net, {.of = "total", .wrt = {"x", "*weight"}});
  CHECK(model.output_keys() ==
        std::vector<std::string>{"y", "total", "x.grad", "linear.weight.grad"});
  const Tensor weight = Tensor::of<double>({1, 2}, {3, 5}), x = Tensor::of<double>({1, 2}, {7, 11});
  const TensorMap outputs = evaluated(model, {{"x", x}}, {{"linear.weight", weight}});
  check_close(outputs.at("x.grad"), {3, 5});
  check_close(outputs.at("linear.weight.grad"), {7, 11});
}

TEST_CASE("a derivative in a direction, and a product with the Hessian") {
  const Connection x = input("x", {2}), v = input("v", {2});
  const Connection cubes = x * x * x;
  const Model model =
      Model::create({{"jvp", jvp(cubes, {x}, {v})}, {"hvp", hvp(cubes.sum(), {x}, {v}).front()}});
  const TensorMap outputs = evaluated(model, {{"x", vector_of({2, 3})}, {"v", vector_of({1, -1})}});
  check_close(outputs.at("jvp"), {12, -27});
  check_close(outputs.at("hvp"), {12, -18});
}

TEST_CASE("paths outside a gradient model do not count") {
  Model product;
  product |= Model::op("multiply")({{"left", "a"}, {"right", "b"}, {"output", "p"}});
  product |= Sum()({{"input", "p"}, {"output", "total"}});
  Model outer;
  outer |= Gradient(product,
                    {.of = "total", .wrt = {"a"}})({{"a", "x"}, {"b", "x"}, {"a.grad", "by_a"}});
  check_close(evaluated(outer, {{"x", vector_of({2, 3})}}).at("by_a"), {2, 3});
}

TEST_CASE("a gradient sees the masks of dropout, and none in inference") {
  Model net;
  net |= Dropout({.p = 0.5})({{"input", "x"}, {"output", "h"}});
  net |= Sum()({{"input", "h"}, {"output", "total"}});
  const Model model = Gradient(net, {.of = "total", .wrt = {"x"}});
  const TensorMap data{{"x", Tensor::full(DType::float64, {64}, 1.0)}};
  const CompiledModel compiled =
      compile(model, cpu({.dtype = DType::float64}), {.data_keys = {"x"}});
  const auto [outputs, next] = compiled.evaluate({}, data, compiled.initial_state_dict());
  const Tensor &mask = outputs.at("h"), &slope = outputs.at("x.grad");
  for (std::int64_t i = 0; i < 64; ++i) CHECK(mask.at_as_double(i) == slope.at_as_double(i));
  CHECK(slope.at_as_double(0) != 1);
  for (std::int64_t i = 0; i < 64; ++i)
    CHECK(compiled.infer({}, data).at("x.grad").at_as_double(i) == 1);
}

TEST_CASE("a gradient model is written to JSON and read") {
  Model net;
  net |= Tanh()({{"input", "x"}, {"output", "y"}});
  const Model model = Gradient(net, {.of = "y", .wrt = {"x"}});
  const Model read = from_json(to_json(model));
  CHECK(to_json(read) == to_json(model));
  const TensorMap data{{"x", vector_of({0.5})}, {"y.grad", vector_of({2})}};
  check_close(evaluated(read, data).at("x.grad"), {2 * (1 - std::pow(std::tanh(0.5), 2))});
}

TEST_CASE("a gradient without a rule names the op") {
  const Connection x = input("x", {4});
  const Connection points = apply("auc_core", {x, x > 0.5});
  const Model model = Model::create({{"y", gradient(points, x, 1.0)}});
  CHECK_THROWS_WITH_AS(evaluated(model, {{"x", vector_of({0, 0.2, 0.6, 1})}}),
                       doctest::Contains("no gradient flows through op 'auc_core'"), GradientError);
}

TEST_CASE("a seed that does not fit is refused while composing") {
  const Connection x = input("x", {2}), seed = input("seed", {3});
  CHECK_THROWS_WITH_AS(gradient(x * x, x), doctest::Contains("needs a seed"), ShapeError);
  CHECK_THROWS_AS(gradient(x * x, x, seed), ShapeError);
  CHECK_THROWS_AS(Gradient(Tanh(), {.of = "out", .wrt = {"input"}}), NameError);
  CHECK_THROWS_AS(Gradient(Tanh(), {.of = "output", .wrt = {"x*"}}), NameError);
  CHECK_THROWS_AS(hvp((x * x).sum(), {x}, {}), ValueError);
  CHECK_THROWS_WITH_AS(gradient((x * x).sum(), std::vector<Connection>()),
                       doctest::Contains("port 'wrt' is empty"), ConnectionError);
}

}  // namespace mithril::tests
