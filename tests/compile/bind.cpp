// Compiled models whose parameters are fixed.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

CompiledModel bound_network(CompileOptions options = {}) {
  Model model;
  model |= ml::Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  model |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  return compile(model, cpu(), std::move(options));
}

TensorMap parameters(int64_t inputs) {
  return {{"linear.weight", Tensor::full(DType::float32, {3, inputs}, 0.5)},
          {"linear.bias", Tensor::of<float>({3}, {-9, 0, 1})}};
}

Tensor tensor_of_ones(Dims dims) { return Tensor::full(DType::float32, std::move(dims), 1); }

}  // namespace

TEST_CASE("a bound model gives the results of the model with these parameters") {
  const CompiledModel compiled = bound_network();
  const TensorMap params = parameters(2);
  const CompiledModel bound = compiled.bind(params);
  CHECK(bound.parameter_keys().empty());
  CHECK(bound.data_keys() == std::vector<std::string>{"x"});
  for (const int64_t rows : {0, 1, 5}) {
    CHECK(identical(bound.evaluate({}, {{"x", tensor_of_ones({rows, 2})}}).at("y"),
                    compiled.evaluate(params, {{"x", tensor_of_ones({rows, 2})}}).at("y")));
  }
}

TEST_CASE("bind copies the parameters, and does not change the compiled model") {
  const CompiledModel compiled = bound_network();
  TensorMap params = parameters(2);
  const CompiledModel bound = compiled.bind(params);
  const Tensor before = bound.evaluate({}, {{"x", tensor_of_ones({1, 2})}}).at("y");
  Tensor weight = params.at("linear.weight");
  weight.mutable_values<float>()[0] = 100;
  CHECK(identical(bound.evaluate({}, {{"x", tensor_of_ones({1, 2})}}).at("y"), before));
  const CompiledModel other = compiled.bind(parameters(4));
  CHECK(other.evaluate({}, {{"x", tensor_of_ones({1, 4})}}).at("y").dims() == Dims{1, 3});
  CHECK(compiled.evaluate(parameters(7), {{"x", tensor_of_ones({1, 7})}}).at("y").dims() ==
        Dims{1, 3});
}

TEST_CASE("bind does not copy moved parameters that have no other owner") {
  const CompiledModel compiled = bound_network();
  TensorMap params = parameters(2);
  const void* given = params.at("linear.weight").raw_data();
  const auto stands = [&](const CompiledModel& bound) {
    const Graph graph = bound.exported({{"x", tensor_of_ones({1, 2})}}).graph;
    return std::any_of(
        graph.constants().begin(), graph.constants().end(),
        [&](const Constant& constant) { return constant.tensor.raw_data() == given; });
  };
  CHECK(!stands(compiled.bind(params)));
  CHECK(stands(compiled.bind(std::move(params))));
}

TEST_CASE("bind copies borrowed elements") {
  const CompiledModel compiled = bound_network();
  const TensorMap data = {{"x", tensor_of_ones({1, 2})}};
  TensorMap params = parameters(2);
  const Tensor expected = compiled.evaluate(params, data).at("y");
  std::vector<float> weight(6, 0.5F);
  params["linear.weight"] = Tensor::borrow(
      DType::float32, {3, 2}, static_cast<void*>(weight.data()), std::make_shared<int>());
  CHECK(params.at("linear.weight").is_borrowed());
  CHECK(!params.at("linear.bias").is_borrowed());
  const CompiledModel bound = compiled.bind(std::move(params));
  weight.assign(6, 100);
  CHECK(identical(bound.evaluate({}, data).at("y"), expected));
}

TEST_CASE("a bound model has no gradients, and knows its sizes") {
  const CompiledModel bound = bound_network({.shapes = {{"x", {"N", any}}}}).bind(parameters(2));
  CHECK_THROWS_AS(
      bound.evaluate({}, {{"x", tensor_of_ones({1, 2})}}, {{"y", tensor_of_ones({1, 3})}}),
      GradientError);
  std::string text;
  try {
    bound.evaluate({}, {{"x", tensor_of_ones({1, 5})}});
  } catch (const InputError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.InputError[E0804]: 'x' has 5 in dim 1, expected 2\n"
        "  expected : [N, 2]\n"
        "  got      : [1, 5]");
}

TEST_CASE("a bound model can be hooked") {
  CompiledModel bound = bound_network().bind(parameters(2));
  Dims dims;
  bound.register_hook("h", [&](const Tensor& value) { dims = value.dims(); });
  bound.evaluate({}, {{"x", tensor_of_ones({1, 2})}});
  CHECK(dims == Dims{1, 3});
}

TEST_CASE("bind refuses parameters of other dims") {
  CHECK_THROWS_AS(bound_network().bind({{"linear.weight", tensor_of_ones({3, 2})}}), StateError);
}

TEST_CASE("a bound model is in inference mode, and reads its state") {
  Model model;
  model |= ml::BatchNorm2D({.num_features = 2})({{"input", "x"}, {"output", "y"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {any, 2, 3, 3}}}, .data_keys = {"x"}});
  const TensorMap params = compiled.get_parameters();
  const CompiledModel bound = compiled.bind(params);
  const Tensor x = Tensor::full(DType::float32, {2, 2, 3, 3}, 4);
  const State before = compiled.initial_state_dict();
  const auto [outputs, state] = bound.evaluate({}, {{"x", x}}, before);
  CHECK(identical(outputs.at("y"), compiled.infer(params, {{"x", x}}, before).at("y")));
  REQUIRE(state.keys() == before.keys());
  for (const auto& [key, tensor] : state) CHECK(identical(tensor, before.at(key)));
}

}  // namespace mithril
