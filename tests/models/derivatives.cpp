// Derivatives as parts: values, orders, the paths that count, states, and errors.
// python/tests/test_derivatives.py compares with torch.func.
#include "mithril/models/derivatives.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/op/op_def.hpp"

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

// Matrix products of a network of four layers and its derivative, which `add` makes of the
// network's input, its weights, its output and its loss.
template <class Add>
std::int64_t count_products(const Add& add) {
  const Connection x = input("x", {8, 8});
  Connection h = x;
  std::vector<Connection> weights;
  for (const char* name : {"a", "b", "c", "d"}) {
    weights.push_back(input(name, {8, 8}));
    h = apply("matmul", {weights.size() == 1 ? h : apply("sin", {h}), weights.back()});
  }
  const Model model = Model::create(add(x, weights, h, h.sum()));
  CompileOptions options{.data_keys = {"x"}};
  const ExportedModel exported = compile(model, cpu({.dtype = DType::float64}), options).exported();
  return std::count_if(exported.graph.nodes().begin(), exported.graph.nodes().end(),
                       [](const Node& node) { return node.op->name == "matmul"; });
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

TEST_CASE("a derivative of a derivative has another name") {
  const Connection x = input("x", {2});
  const Model first =
      Gradient(Model::create({{"s", (x * x * x).sum()}}), {.of = "s", .wrt = {"x"}});
  CHECK_THROWS_WITH_AS(Gradient(first, {.of = "x.grad", .wrt = {"x"}}),
                       doctest::Contains("rename_key(\"x.grad\", ...)"), NameError);
  Model renamed = first;
  renamed.rename_key("x.grad", "slope");
  const Model second = Gradient(renamed, {.of = "slope", .wrt = {"x"}});
  CHECK(second.output_keys() == std::vector<std::string>{"s", "slope", "x.grad"});
}

TEST_CASE("derivatives cost the matrix products that the documents state") {
  using Outputs = std::vector<std::pair<std::string, Connection>>;
  for (const bool with_weights : {false, true}) {
    CAPTURE(with_weights);
    const auto wrt_of = [&](const Connection& x, const std::vector<Connection>& weights) {
      std::vector<Connection> wrt{x};
      if (with_weights) wrt.insert(wrt.end(), weights.begin(), weights.end());
      return wrt;
    };
    const auto named = [](const std::vector<Connection>& connections) {
      Outputs outputs;
      for (size_t i = 0; i < connections.size(); ++i)
        outputs.emplace_back("output_" + std::to_string(i), connections[i]);
      return outputs;
    };
    const auto tangents_of = [](const std::vector<Connection>& wrt) {
      std::vector<Binding> tangents;
      for (size_t i = 0; i < wrt.size(); ++i)
        tangents.emplace_back(Connection(IOKey{.name = "tangent_" + std::to_string(i)}));
      return tangents;
    };
    CHECK(count_products([&](auto x, auto weights, auto, auto loss) {
            return named(gradient(loss, wrt_of(x, weights)));
          }) == (with_weights ? 11 : 7));
    CHECK(count_products([&](auto x, auto weights, auto y, auto) {
            const std::vector<Connection> wrt = wrt_of(x, weights);
            return named({y, jvp(y, wrt, tangents_of(wrt))});
          }) == (with_weights ? 12 : 8));
    CHECK(count_products([&](auto x, auto weights, auto, auto loss) {
            const std::vector<Connection> wrt = wrt_of(x, weights);
            return named(hvp(loss, wrt, tangents_of(wrt)));
          }) == (with_weights ? 26 : 12));
  }
}

TEST_CASE("a product with a Hessian multiplies by no ones") {
  const Connection x = input("x", {4, 3}), w = input("w", {3, 2}), v = input("v", {3, 2});
  const Connection u = input("u", {4, 3});
  const Connection y = apply("sin", {apply("matmul", {x, w})});
  const std::vector<Connection> products = hvp((y * y).sum(), {w, x}, {v, u});
  const Model model = Model::create({{"of_w", products[0]}, {"of_x", products[1]}});
  const auto graph = compile(model, cpu({.dtype = DType::float64})).exported().graph;
  CHECK(std::none_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op->name == "expand_reduced"; }));
}

TEST_CASE("factors of a sum of products that are one value, and that are wanted") {
  const Connection x = input("x", {2}), v = input("v", {2});
  const Connection squares = x * x, product = squares * v;
  const Connection total = product.sum() + squares.sum() + product.sum();
  const Model model = Model::create({{"of_x", gradient(total, x)},
                                     {"of_squares", gradient(total, squares)},
                                     {"of_product", gradient(total, product)},
                                     {"of_v", gradient(total, v)}});
  const TensorMap outputs = evaluated(model, {{"x", vector_of({2, 3})}, {"v", vector_of({5, 7})}});
  check_close(outputs.at("of_x"), {44, 90});  // 2 x (2 v + 1)
  check_close(outputs.at("of_squares"), {11, 15});
  check_close(outputs.at("of_product"), {2, 2});
  check_close(outputs.at("of_v"), {8, 18});
}

TEST_CASE("a scalar whose rank is known late needs no seed") {
  const Connection x = Connection(IOKey{.name = "x"});
  const Model model = Model::create({{"slope", gradient(x * x, x)}});
  const Tensor scalar = Tensor::of<double>({}, {3});
  check_close(evaluated(model, {{"x", scalar}}).at("slope"), {6});
  CHECK_THROWS_AS(evaluated(model, {{"x", vector_of({1, 2})}}), ShapeError);
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

TEST_CASE("the JSON form of a derivative has its numbers and the first values of parameters") {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}, {"output", "y"}});
  net.set_initializer("linear.bias", {.distribution = Initializer::Distribution::ones});
  const Model model = Jvp(net, {.of = "y", .wrt = {"linear.bias"}});
  const Model read = from_json(to_json(model));
  CHECK(to_json(read) == to_json(model));
  const TensorMap data{{"x", Tensor::full(DType::float64, {2, 4}, 1.0)},
                       {"linear.bias.tangent", vector_of({1, 2, 3})}};
  CompileOptions options;
  for (const auto& [key, tensor] : data) options.data_keys.emplace_back(key);
  options.shapes = {{"x", {2, 4}}};
  const CompiledModel compiled = compile(read, cpu({.dtype = DType::float64}), options);
  const TensorMap params = compiled.get_parameters(0);
  check_close(params.at("linear.bias"), {1, 1, 1});
  check_close(compiled.evaluate(params, data).at("y.tangent"), {1, 2, 3, 1, 2, 3});
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
  CHECK_THROWS_AS(jvp(x * x, {x}, {input("tangent", {3})}), ShapeError);
  CHECK_THROWS_AS(hvp((x * x).sum(), {x}, {input("vector", {})}), ShapeError);
  CHECK_THROWS_AS(Gradient(Tanh(), {.of = "out", .wrt = {"input"}}), NameError);
  CHECK_THROWS_AS(Gradient(Tanh(), {.of = "output", .wrt = {"x*"}}), NameError);
  CHECK_THROWS_AS(hvp((x * x).sum(), {x}, {}), ValueError);
  CHECK_THROWS_WITH_AS(gradient((x * x).sum(), std::vector<Connection>()),
                       doctest::Contains("port 'wrt' is empty"), ConnectionError);
}

}  // namespace mithril::tests
