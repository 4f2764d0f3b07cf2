// Model::create makes a new model each time, independent of other uses of its connections.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/linear_algebra.hpp"
#include "mithril/models/ops/making_data.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/perceptron.hpp"
#include "mithril/op/solver.hpp"
#include "tests/json/check_round_trip.hpp"

namespace ml = mithril;

namespace {

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("models that share an input are built one beside the other") {
  const ml::Connection x("x");
  const ml::Connection a = ml::Relu()(x), b = ml::Tanh()(x) + a;
  const ml::Model first = ml::Model::create({{"a", a}});
  const std::string before = first.summary();
  const ml::Model second = ml::Model::create({{"b", b}});
  const ml::Model third = ml::Model::create({{"a", ml::Sigmoid()(x)}});
  CHECK(first.summary() == before);
  CHECK(first.output_keys() == Keys{"a"});
  CHECK(first.part() != second.part());
  CHECK(second.input_keys() == Keys{"x"});
  CHECK(second.output_keys() == Keys{"b"});
  CHECK(third.output_keys() == Keys{"a"});
  CHECK(ml::flatten(first, ml::DType::float32).graph.nodes().size() == 1);
  CHECK(ml::flatten(second, ml::DType::float32).graph.nodes().size() == 3);
}

TEST_CASE("a model of another model's connections leaves that one as it was") {
  ml::Model net;
  net |= ml::Linear({.dimension = 4})({{"input", "x"}, {"output", "h"}});
  net |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  const std::string before = net.summary();
  const ml::Model part = ml::Model::create({{"hidden", net["h"]}});
  CHECK(net.summary() == before);
  CHECK(net.output_keys() == Keys{"h", "y"});
  CHECK(part.output_keys() == Keys{"hidden"});
  CHECK(part.input_keys() == Keys{"x", "linear.weight", "linear.bias"});
}

TEST_CASE("a new model keeps the known shapes and types of its connections") {
  const ml::Connection x(ml::IOKey{.name = "x", .shape = ml::ShapeSpec{"N", 3}});
  const ml::Connection scale(ml::IOKey{.name = "scale", .value = ml::Datum(2.0)});
  const ml::Connection table(
      ml::IOKey{.name = "table", .tensor = ml::Tensor::of<float>({3}, {1, 2, 3})});
  ml::Model linear = ml::Linear({.dimension = 3});
  linear.set_initializer("bias", {.distribution = ml::Initializer::Distribution::constant, .a = 5});
  const ml::Connection h = linear({{"input", x * scale + table}, {"weight", "w"}});
  const ml::Model model = ml::Model::create({{"y", h}}, "named");
  CHECK(model.name() == "named");
  CHECK(to_string(model.shape("x")) == "[N, 3]");
  CHECK(to_string(model.shape("y")) == "[N, 3]");
  CHECK(model.input_keys() == Keys{"x", "w", "linear.bias"});
  ml::tests::check_round_trip(model);
  const ml::CompiledModel compiled = ml::compile(model, ml::cpu());
  const ml::TensorMap params = compiled.get_parameters();
  CHECK(params.at("linear.bias").at_as_double(2) == 5);
  ml::Tensor eye(ml::DType::float32, {3, 3});
  for (int64_t i = 0; i < 3; ++i) eye.mutable_data<float>()[4 * i] = 1;
  const ml::TensorMap out =
      compiled.evaluate({{"w", eye}, {"linear.bias", ml::Tensor(ml::DType::float32, {3})}},
                        {{"x", ml::Tensor::full(ml::DType::float32, {1, 3}, 1)}});
  CHECK(ml::identical(out.at("y"), ml::Tensor::of<float>({1, 3}, {3, 4, 5})));
}

TEST_CASE("connections refer to their copies in a new model") {
  const ml::Connection x("x");
  const ml::Connection h = ml::Linear({.dimension = 2})(x);
  ml::Model model = ml::Model::create({{"y", h}});
  model |= ml::Relu()({{"input", h}, {"output", "z"}});
  model.expose_keys(Keys{"y", "z"});
  CHECK(model.output_keys() == Keys{"y", "z"});
  const ml::CompiledModel compiled =
      ml::compile(model, ml::cpu(), {.shapes = {{x, {5, 3}}}, .trainable_keys = {x}});
  CHECK(compiled.parameter_keys() == Keys{"x", "linear.weight", "linear.bias"});
}

TEST_CASE("states and constraints are copied if the model contains their connections") {
  ml::Model net;
  net |= ml::BatchNorm2D({.inference = false})({{"input", "x"}, {"output", "y"}});
  net |= ml::Relu()({{"input", "z"}, {"output", "r"}});
  net.add_constraint(
      [](ml::Solver& s) {
        std::vector<ml::Dim> dims;
        if (!s.shape("x", dims)) return false;
        s.set_shape("x", {dims[0], ml::Dim(2), dims[2], dims[3]});
        return true;
      },
      {"x"});
  const ml::Model model = ml::Model::create({{"out", net["y"]}});
  CHECK(to_string(model.shape("x")) == "[?1, 2, ?2, ?3]");
  const ml::CompiledModel compiled =
      ml::compile(model, ml::cpu(), {.shapes = {{"x", {4, 2, 3, 3}}}});
  CHECK(compiled.initial_state_dict().keys().size() == 2);
  const ml::Model other = ml::Model::create({{"out", net["r"]}});
  CHECK(other.input_keys() == Keys{"z"});
}

TEST_CASE("parts that hold models are copied with all that is in them") {
  ml::Model block;
  block |= ml::MLP({.activations = {"Relu", "Tanh"}, .dimensions = {4, 2}})(
      {{"input", "x"}, {"output", "h"}});
  block |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  const ml::Connection x("x");
  const ml::Connection once = block({{"x", x}});
  const ml::Model first = ml::Model::create({{"y", once}});
  const ml::Model second = ml::Model::create({{"y", once}});
  CHECK(first == second);
  CHECK(ml::to_json(first) == ml::to_json(second));
  ml::tests::check_round_trip(second);
  const ml::CompiledModel compiled = ml::compile(second, ml::cpu(), {.shapes = {{"x", {1, 3}}}});
  CHECK(compiled.parameter_keys().size() == 4);
}
