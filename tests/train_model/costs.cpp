// The cost of training models, and its dependencies.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/train_model/training.hpp"

namespace mithril::tests {
namespace {

using Keys = std::vector<std::string>;

TrainModel with_loss(const LossOptions& options = {}) {
  TrainModel train(line());
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}}, options);
  return train;
}

Tensor number(double value) { return Tensor::full(DType::float64, {}, value); }

}  // namespace

// With weight 2 and bias 1 the inputs 0, 1, 2, 3 give 1, 3, 5, 7; the squares add up to 84.

TEST_CASE("a loss is averaged unless other steps reduce it") {
  CHECK(run(with_loss(), {0, 1, 2, 3}).cost() == 21);
  CHECK(run(with_loss({.reduce_steps = {Sum()}}), {0, 1, 2, 3}).cost() == 84);
  CHECK(run(with_loss({.reduce_steps = {Max({.axis = 0}), Sum()}}), {0, 1, 2, 3}).cost() == 49);
}

TEST_CASE("gradients are those of the cost") {
  const Trained trained = run(with_loss(), {0, 1, 2, 3});
  CHECK(trained.gradients.at("bias").item() == 2.0 * (1 + 3 + 5 + 7) / 4);
  CHECK(trained.gradients.at("weight").item() == 2.0 * (3 + 2 * 5 + 3 * 7) / 4);
}

TEST_CASE(
    "a training model has the keys of its model, a cost, and data for the targets of losses") {
  const TrainModel train = with_loss();
  CHECK(train.input_keys() == Keys{"input", "weight", "bias", "target"});
  CHECK(train.output_keys() == Keys{"output", "final_cost"});
  CHECK(to_string(train.shape("final_cost")) == "[]");
  const CompiledModel compiled = compile(train, cpu());
  CHECK(compiled.parameter_keys() == Keys{"weight", "bias"});
}

TEST_CASE("parts without a given name keep the paths of their parameters") {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}});
  net += Relu();
  net += Linear({.dimension = 1})({{"output", "y"}});
  TrainModel train(net);
  train.add_loss(AbsoluteError(), {{"input", "y"}, {"target", "t"}});
  CHECK(train.input_keys() ==
        Keys{"x", "linear.weight", "linear.bias", "linear_1.weight", "linear_1.bias", "t"});
}

TEST_CASE("a coefficient multiplies a loss, and a key name shows it") {
  const Trained trained = run(with_loss({.key_name = "squared", .coef = 0.5}), {0, 1, 2, 3});
  CHECK(trained.outputs.at("squared").item() == 10.5);
  CHECK(trained.cost() == 10.5);
}

TEST_CASE("losses are added up, or combined as their combiner does") {
  TrainModel train = with_loss();
  train.add_loss(AbsoluteError(), {{"input", "output"}, {"target", "target"}},
                 {.reduce_steps = {Sum()}});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 16);
  train.set_loss_combiner(Max());
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21);
  train.set_loss_combiner(Prod());
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 * 16);
}

TEST_CASE("get_shapes of a training model has the keys of its cost") {
  TrainModel train = with_loss();
  train.set_loss_combiner(Sum());
  CHECK(to_string(train.get_shapes().at("final_cost")) == "[]");
  CHECK(to_string(train.get_shapes().at("final_cost")) == "[]");
}

TEST_CASE("a combiner may be a model of the user's") {
  Model combiner;
  const Connection losses = combiner["losses"];
  combiner.set_cin({"losses"});
  combiner |= Sum()({{"input", "losses"}, {"output", "sum"}});
  combiner += Sqrt()({{"output", "root"}});
  combiner.expose_keys(Keys{"root"});
  TrainModel train = with_loss();
  train.set_loss_combiner(combiner);
  CHECK(run(train, {0, 1, 2, 3}).cost() == doctest::Approx(std::sqrt(21.0)).epsilon(1e-15));
  CHECK(run(train, {0, 1, 2, 3}).cost() == doctest::Approx(std::sqrt(21.0)).epsilon(1e-15));
}

TEST_CASE("regularisation is divided by the size that the loss is averaged over, when it runs") {
  TrainModel train = with_loss();
  train.add_regularization(L2(), 0.5, {{"input", "weight"}});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 0.5 * 2 / 4);
  CHECK(run(train, {0, 1}).cost() == 5 + 0.5 * 2 / 2);
}

TEST_CASE("regularisation is divided by 1 where a number is averaged") {
  for (const int axis : {0, -1}) {
    TrainModel train = with_loss({.reduce_steps = {Sum(), Mean({.axis = axis})}});
    train.add_regularization(L2(), 0.5, {{"input", "weight"}});
    CHECK(run(train, {0, 1, 2, 3}).cost() == 84 + 0.5 * 2);
  }
}

TEST_CASE("the divisor of a regularisation of unknown rank is its size") {
  TrainModel train{Linear({.dimension = 1})};
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  train.add_regularization(L1(), 0.5, {{"input", "weight"}});
  CHECK(to_string(train.shape("output")).starts_with("[..., "));
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 0.5 * 2 / 4);
}

TEST_CASE(
    "regularisation is divided by the geometric mean over the losses that depend on the key") {
  TrainModel train = with_loss();
  train.add_loss(AbsoluteError(), {{"input", "output"}, {"target", "target"}},
                 {.reduce_steps = {Sum()}});
  train.add_regularization(L1(), 1.0, {{"input", "bias"}});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 16 + 1.0 / 2);  // sqrt(4 * 1)
}

TEST_CASE("losses added later count for regularisation that was there before") {
  TrainModel train(line());
  train.add_regularization(L1(), 1.0, {{"input", "bias"}});
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 1.0 / 4);
  train.add_loss(AbsoluteError(), {{"input", "output"}, {"target", "target"}},
                 {.reduce_steps = {Sum()}});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 16 + 1.0 / 2);
}

TEST_CASE("a regularisation of a key that no loss depends on is not divided") {
  Model both;
  both |= Linear({.dimension = 1})(
      {{"input", "input"}, {"weight", "weight"}, {"bias", "bias"}, {"output", "output"}});
  both |= Multiply()({{"left", "scale"}, {"right", 2.0}, {"output", "other"}});
  both.set_types({{"scale", kind::float_tensor}}).set_cin({"input"});
  both.set_shapes({{"input", {"N", 1}}, {"scale", {}}});
  TrainModel train(both);
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  train.add_regularization(L1(), 3.0, {{"input", "scale"}});
  const CompiledModel compiled =
      compile(train, cpu({.dtype = DType::float64}),
              {.shapes = {{"weight", {1, 1}}}, .discard_keys = {"other"}});
  const auto [outputs, gradients] =
      compiled.evaluate({{"scale", number(-2)},
                         {"weight", column({2})},
                         {"bias", Tensor::full(DType::float64, {1}, 1.0)}},
                        {{"input", column({1})}, {"target", column({0})}}, of_cost);
  CHECK(outputs.at("final_cost").item() == 9 + 6);
  CHECK(gradients.at("scale").item() == -3);
}

TEST_CASE("a regular expression regularises each parameter that it is found in") {
  TrainModel train = with_loss();
  train.add_regularization(L1(), 4.0, KeyPattern{"^(weight|bias|input|target)$"});
  CHECK(run(train, {0, 1, 2, 3}).cost() == 21 + 4.0 * (2 + 1) / 4);
}

TEST_CASE("a regulariser may have more ports than that of the key") {
  TrainModel train = with_loss();
  train.add_regularization(QuadraticFormRegularizer(), 1.0,
                           {{"input", "weight"}, {"kernel", column({3})}}, {.key_name = "form"});
  const Trained trained = run(train, {0, 1, 2, 3});
  CHECK(trained.outputs.at("form").item() == 6);
  CHECK(trained.cost() == 21 + 6.0 / 4);
}

TEST_CASE("a metric is one more output, and no part of the cost") {
  TrainModel train = with_loss();
  train.add_metric(AbsoluteError(), {{"input", "output"}, {"target", "target"}},
                   {.reduce_steps = {Max()}});
  const Trained trained = run(train, {0, 1, 2, 3});
  CHECK(train.output_keys() == Keys{"output", "absoluteerror", "final_cost"});
  CHECK(trained.outputs.at("absoluteerror").item() == 7);
  CHECK(trained.cost() == 21);
}

TEST_CASE("a training model becomes a part, with its cost") {
  TrainModel train = with_loss();
  train.add_regularization(L2(), 0.5, {{"input", "weight"}});
  Model outer;
  outer |= train({{"input", "x"}, {"target", "t"}, {"final_cost", "cost"}});
  outer += Multiply()({{"right", 2.0}, {"output", "double"}});
  outer.set_differentiability({{"x", false}, {"t", false}});
  const CompiledModel compiled = compile(outer, cpu({.dtype = DType::float64}));
  const TensorMap outputs =
      compiled.evaluate({{"trainmodel.weight", column({2})},
                         {"trainmodel.bias", Tensor::full(DType::float64, {1}, 1.0)}},
                        {{"x", column({0, 1, 2, 3})}, {"t", column({0, 0, 0, 0})}});
  CHECK(outputs.at("cost").item() == 21.25);
  CHECK(outputs.at("double").item() == 42.5);
}

TEST_CASE("queries about a training model do not freeze it") {
  TrainModel train = with_loss();
  const std::string before = train.summary();
  static_cast<void>(run(train, {1}));
  static_cast<void>(train.output_keys());
  CHECK(train.summary() == before);
  train.add_metric(AbsoluteError(), {{"input", "output"}, {"target", "target"}},
                   {.reduce_steps = {Mean()}, .key_name = "off_by"});
  CHECK(run(train, {1}).outputs.at("off_by").item() == 3);
}

TEST_CASE("states of the model that is trained are those of the training model") {
  Model net;
  net |= Dropout({.p = 0.5})({{"input", "x"}, {"output", "h"}});
  net += Linear({.dimension = 1})({{"output", "y"}});
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  const CompiledModel compiled = compile(train, cpu(), {.shapes = {{"x", {2, 3}}}});
  CHECK(compiled.initial_state_dict().size() == 1);
}

TEST_CASE("the loss of a sample is multiplied by its weight before it is reduced") {
  const TrainModel train = with_loss({.sample_weight = Binding("share")});
  for (const Model& model : {Model(train), from_json(to_json(train))}) {
    const CompiledModel compiled = compile(model, cpu({.dtype = DType::float64}));
    CHECK(compiled.data_keys() == Keys{"input", "target", "share"});
    const TensorMap params{{"weight", column({2})},
                           {"bias", Tensor::full(DType::float64, {1}, 1.0)}};
    const TensorMap outputs =
        compiled.evaluate(params, {{"input", column({0, 1, 2, 3})},
                                   {"target", column({0, 0, 0, 0})},
                                   {"share", Tensor::of<double>({4}, {1, 0, 2, 0.5})}});
    CHECK(outputs.at("final_cost").item() == (1 + 2 * 25 + 0.5 * 49) / 4);
  }
}

}  // namespace mithril::tests
