// Steps of training as one graph, beside evaluate and the optimizer's own step.
#include "mithril/training/training_step.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/optim/optimizers.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/training/classifier.hpp"

namespace mithril {
namespace {

using tests::batch;
using tests::check_identical;
using tests::compiled_classifier;
using tests::text_of_error;

using Make = std::function<std::unique_ptr<Optimizer>()>;

const std::map<std::string, Make>& rules() {
  static const std::map<std::string, Make> all = {
      {"sgd", [] { return std::make_unique<SGD>(SGDOptions{.lr = 0.05}); }},
      {"sgd with all",
       [] {
         return std::make_unique<SGD>(
             SGDOptions{.lr = 0.05, .momentum = 0.8, .dampening = 0.3, .weight_decay = 0.1});
       }},
      {"nesterov",
       [] {
         return std::make_unique<SGD>(
             SGDOptions{.lr = 0.05, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true});
       }},
      {"adam", [] { return std::make_unique<Adam>(AdamOptions{.lr = 0.01}); }},
      {"adam with decay",
       [] {
         return std::make_unique<Adam>(
             AdamOptions{.lr = 0.01, .betas = {0.8, 0.99}, .weight_decay = 0.1});
       }},
      {"adamw", [] { return std::make_unique<AdamW>(AdamWOptions{.lr = 0.01}); }}};
  return all;
}

}  // namespace

TEST_CASE("fifty compiled steps equal evaluate followed by Optimizer::step") {
  for (const auto& rule : rules()) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      CAPTURE(rule.first);
      CAPTURE(mithril::name(dtype));
      const CompiledModel one = compiled_classifier({.dtype = dtype, .threads = 1});
      const CompiledModel two = compiled_classifier({.dtype = dtype, .threads = 2});
      TensorMap apart = one.get_parameters(), params = apart.copy(), shared = apart.copy();
      const auto expected = rule.second(), optimizer = rule.second(), other = rule.second();
      TrainingStep step(one, *optimizer), step_of_two(two, *other);
      for (int i = 0; i < 50; ++i) {
        const TensorMap data = batch(30, i);
        const auto [outputs, gradients] = one.evaluate(apart, data, of_cost);
        expected->step(apart, gradients);
        REQUIRE(identical(step(params, data).at("loss"), outputs.at("loss")));
        step_of_two(shared, data);
      }
      check_identical(apart, params);
      check_identical(apart, shared);
      check_identical(expected->state_dict(), optimizer->state_dict());
    }
  }
}

TEST_CASE("a step works with other backends, levels and sizes") {
  for (const char* level : {"none", "standard", "max"}) {
    for (const bool reference : {false, true}) {
      CAPTURE(level);
      CAPTURE(reference);
      CompileOptions how;
      how.optimization_level = mithril::optimization_level_named(level);
      const CompiledModel model = compiled_classifier({.reference = reference}, how);
      TensorMap apart = model.get_parameters(), params = apart.copy();
      Adam expected({.lr = 0.01}), optimizer({.lr = 0.01});
      TrainingStep step(model, optimizer);
      for (const int64_t size : {30, 1, 7}) {
        const auto [outputs, gradients] = model.evaluate(apart, batch(size), of_cost);
        expected.step(apart, gradients);
        step(params, batch(size));
      }
      for (const auto& [key, tensor] : apart) {
        for (int64_t i = 0; i < tensor.size(); ++i) {
          const double reached = params.at(key).at_as_double(i);
          REQUIRE(reached == doctest::Approx(tensor.at_as_double(i)).epsilon(1e-5));
        }
      }
    }
  }
}

TEST_CASE("a step uses the optimizer's state and learning rate") {
  const CompiledModel model = compiled_classifier();
  TensorMap apart = model.get_parameters(), params = apart.copy();
  Adam expected({.lr = 0.1}), optimizer({.lr = 0.5});
  const auto take = [&] {
    const auto [outputs, gradients] = model.evaluate(apart, batch(9), of_cost);
    expected.step(apart, gradients);
  };
  take();
  TrainingStep step(model, optimizer);
  params = apart.copy();
  optimizer.load_state_dict(expected.state_dict());
  optimizer.set_lr(0.1);
  take();
  step(params, batch(9));
  check_identical(apart, params);
  expected.set_lr(0);
  optimizer.set_lr(0);
  take();
  step(params, batch(9));
  check_identical(apart, params);
}

TEST_CASE("parameters are updated in place") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  const Tensor before = params.at("table").copy(), table = params.at("table");
  SGD optimizer({.lr = 0.1});
  TrainingStep step(model, optimizer);
  step(params, batch(9));
  CHECK(params.at("table").raw_data() == table.raw_data());
  CHECK(!identical(before, table));
}

TEST_CASE("a parameter that is also an output is returned with its old value") {
  Model model;
  model |=
      Linear({.dimension = 3})({{"input", "x"}, {"weight", "w"}, {"bias", "b"}, {"output", "h"}});
  model |= Model::op("sum")({{"input", "h"}, {"output", "final_cost"}});
  model |= Model::op("buffer")({{"input", "w"}, {"output", "as_it_was"}});
  model.expose_keys(std::vector<std::string>{"final_cost", "as_it_was"});
  const CompiledModel compiled = compile(
      model, cpu(), {.shapes = {{"x", {2, 4}}}, .data_keys = {"x"}, .trainable_keys = {"w"}});
  TensorMap params = compiled.get_parameters();
  const Tensor before = params.at("w").copy();
  SGD optimizer({.lr = 1});
  TrainingStep step(compiled, optimizer);
  const TensorMap outputs = step(params, {{"x", Tensor::full(DType::float32, {2, 4}, 1)}});
  CHECK(identical(outputs.at("as_it_was"), before));
  CHECK(params.at("w").at_as_double(0) == doctest::Approx(before.at_as_double(0) - 2));
}

TEST_CASE("a step keeps the state from call to call") {
  Model model;
  model |= BatchNorm1D()({{"input", "x"}, {"output", "h"}});
  model |= Dropout({.p = 0.25})({{"input", "h"}, {"output", "kept"}});
  model |= Model::op("mean")({{"input", "kept"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {4, 3}}}, .data_keys = {"x"}});
  Tensor x(DType::float32, {4, 3});
  for (size_t i = 0; i < 12; ++i) x.mutable_values<float>()[i] = static_cast<float>(i * i);
  TensorMap params = compiled.get_parameters(), apart = params.copy();
  SGD optimizer({.lr = 0.1}), expected_optimizer({.lr = 0.1});
  TrainingStep step(compiled, optimizer);
  State state = compiled.initial_state_dict();
  check_identical(state, step.state());
  for (int i = 0; i < 3; ++i) {
    const auto [outputs, gradients, next] = compiled.evaluate(apart, {{"x", x}}, of_cost, state);
    expected_optimizer.step(apart, gradients);
    CHECK(identical(step(params, {{"x", x}}).at("loss"), outputs.at("loss")));
    check_identical(next, step.state());
    check_identical(apart, params);
    CHECK_FALSE(identical(next.at("dropout.key"), state.at("dropout.key")));
    state = next;
  }
  step.set_state(compiled.initial_state_dict());
  check_identical(compiled.initial_state_dict(), step.state());
}

TEST_CASE("writes to a returned state change neither the model nor the step") {
  Tensor start = Tensor::scalar(1.0f);
  Model model;
  model |= Model::op("add")({{"left", "total"}, {"right", "w"}, {"output", "next"}});
  model |= Model::op("multiply")({{"left", "total"}, {"right", "w"}, {"output", "product"}});
  model |= Model::op("sum")({{"input", "product"}, {"output", "loss"}});
  model.bind_state_keys("total", "next", start);
  model.expose_keys({"loss"});
  const CompiledModel compiled = compile(model, cpu(), {.trainable_keys = {"w"}});
  SGD optimizer;
  TrainingStep step(compiled, optimizer);
  const auto spoil = [](State state) { state.at("total").mutable_values<float>()[0] = 7; };
  start.mutable_values<float>()[0] = 7;
  spoil(compiled.initial_state_dict());
  spoil(step.state());
  CHECK(compiled.initial_state_dict().at("total").item() == 1);
  CHECK(step.state().at("total").item() == 1);
  TensorMap params = {{"w", Tensor::scalar(2.0f)}};
  CHECK(step(params, {}).at("loss").item() == 2);
}

TEST_CASE("gradients of named outputs are used") {
  const CompiledModel model =
      compile(Linear({.dimension = 3}), cpu(), {.shapes = {{"input", {2, 4}}}});
  const TensorMap data = {{"input", Tensor::full(DType::float32, {2, 4}, 0.5)}};
  const TensorMap incoming = {{"output", Tensor::full(DType::float32, {2, 3}, 2)}};
  TensorMap apart = model.get_parameters(), params = apart.copy();
  SGD expected({.lr = 0.1}), optimizer({.lr = 0.1});
  expected.step(apart, model.evaluate(apart, data, incoming).second);
  TrainingStep step(model, optimizer, incoming);
  step(params, data);
  check_identical(apart, params);
}

TEST_CASE("hooks are called in steps") {
  CompiledModel model = compiled_classifier();
  int seen = 0;
  model.register_hook("scores", [&](const Tensor&) { ++seen; });
  TensorMap params = model.get_parameters();
  SGD optimizer;
  TrainingStep step(model, optimizer);
  step(params, batch(9));
  CHECK(seen == 1);
}

TEST_CASE("data that shares memory with a parameter is read before the update") {
  Model model;
  model |= Model::op("multiply")({{"left", "w"}, {"right", "x"}, {"output", "h"}});
  model |= Model::op("sum")({{"input", "h"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  const CompiledModel compiled =
      compile(model, cpu(),
              {.shapes = {{"x", {4}}, {"w", {4}}}, .data_keys = {"x"}, .trainable_keys = {"w"}});
  TensorMap params = {{"w", Tensor::of<float>({4}, {1, 2, 3, 4})}};
  SGD optimizer({.lr = 1});
  TrainingStep step(compiled, optimizer);
  CHECK(step(params, {{"x", params.at("w")}}).at("loss").item() == 30);
  CHECK(identical(params.at("w"), Tensor(DType::float32, {4})));
}

TEST_CASE("one tensor for two parameters is refused before any update") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  const TensorMap before = params.copy();
  SGD optimizer;
  TrainingStep step(model, optimizer);
  params["layernorm.weight"] = params.at("linear.bias");
  CHECK(text_of_error([&] { step(params, batch(9)); }) ==
        "mithril.InputError[E0812]: 'linear.bias' and 'layernorm.weight' share elements, and a "
        "training step updates each in place\n"
        "  help: give copies of them, or make them one parameter of the model");
  CHECK(identical(params.at("table"), before.at("table")));
}

TEST_CASE("parameters that cannot be updated are refused before any update") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  const TensorMap before = params.copy();
  Adam optimizer;
  TrainingStep step(model, optimizer);
  params["linear_1.bias"] = before.at("linear_1.bias").to(DType::float64);
  CHECK(text_of_error([&] { step(params, batch(9)); }) ==
        "mithril.TypeError[E0382]: the gradient of 'linear_1.bias' has another dtype\n"
        "  linear_1.bias : float64\n"
        "  gradient      : float32\n"
        "  help: convert the parameter to float32, or compile the model with a backend of dtype "
        "float64");
  const float fixed[5] = {};
  params["linear_1.bias"] =
      Tensor::borrow(DType::float32, {5}, static_cast<const void*>(fixed), nullptr);
  CHECK(text_of_error([&] { step(params, batch(9)); }) ==
        "mithril.InputError[E0813]: 'linear_1.bias' cannot be updated: its elements are read-only\n"
        "  help: give a copy of it; a backend updates tensors of its own device");
  params["linear_1.bias"] = before.at("linear_1.bias").copy();
  TensorMap data = batch(9);
  data.at("words").mutable_values<int64_t>()[3] = 40;
  CHECK(text_of_error([&] { step(params, data); }).find("index 40 is out of range") !=
        std::string::npos);
  check_identical(before, params);
  CHECK_FALSE(optimizer.state_dict().contains("table.step"));
}

TEST_CASE("models without a cost, and without gradients, have no steps") {
  SGD optimizer;
  const CompiledModel scores = compile(Linear({.dimension = 3}), cpu());
  CHECK(text_of_error([&] {
          TrainingStep(scores, optimizer);
        }).starts_with("mithril.InputError[E0808]"));
  CompileOptions how;
  how.inference = true;
  CHECK(text_of_error([&] {
          TrainingStep(compiled_classifier({}, how), optimizer);
        }).starts_with("mithril.GradientError[E0505]"));
}

}  // namespace mithril
