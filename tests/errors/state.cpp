// The errors of models with state, as text.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

const TensorMap three_rows = {{"x", Tensor(DType::float32, {2, 3})}};

CompiledModel norm() {
  Model model;
  model |= BatchNorm1D()({{"input", "x"}, {"output", "y"}});
  model |= Mean()({{"input", "y"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  return compile(model, cpu(), {.shapes = {{"x", {2, 3}}}, .data_keys = {"x"}});
}

std::string needs_state(const std::string& call) {
  const std::string evaluate = "evaluate";
  std::string text =
      "mithril.StateError[E0920]: evaluate needs the state of the model, and none was given\n"
      "  state : batchnorm1d.running_mean, batchnorm1d.running_var\n"
      "  help: begin with initial_state_dict, and give each call the state that the one before "
      "returned; TrainingStep keeps it, and infer reads it";
  return text.replace(text.find(evaluate), evaluate.size(), call);
}

}  // namespace

TEST_CASE("a model with state is not evaluated without its state") {
  const CompiledModel model = norm();
  const TensorMap params = model.get_parameters();
  CHECK(text_of_error([&] { model.evaluate(params, three_rows); }) == needs_state("evaluate"));
  CHECK(text_of_error([&] { model.evaluate(params, three_rows, of_cost); }) ==
        needs_state("evaluate"));
  CHECK(text_of_error([&] { model.infer(params, three_rows); }) == needs_state("infer"));
  CHECK(text_of_error([&] { model.bind(params, State()); }) == needs_state("bind"));
  CHECK(text_of_error([&] { model.in_inference().evaluate(params, three_rows); }) ==
        needs_state("evaluate"));
  SGD optimizer;
  TrainingStep step(model, optimizer);
  CHECK(text_of_error([&] { step.set_state({}); }) == needs_state("set_state"));
}

TEST_CASE("a state of other dims is refused") {
  const CompiledModel model = norm();
  const State wrong(TensorMap{{"batchnorm1d.running_mean", Tensor(DType::float32, {2})},
                              {"batchnorm1d.running_var", Tensor(DType::float32, {3})}});
  const std::string expected =
      "mithril.StateError[E0923]: the state does not fit the model\n"
      "  mismatched : batchnorm1d.running_mean float32[2], expected float32[3]";
  CHECK(text_of_error([&] { model.bind(model.get_parameters(), wrong); }) == expected);
  SGD optimizer;
  TrainingStep step(model, optimizer);
  CHECK(text_of_error([&] { step.set_state(wrong); }) == expected);
}

TEST_CASE("infer refuses a model that changes its state in inference") {
  Model model;
  model |= Dropout({.inference = false})({{"input", "x"}, {"output", "y"}});
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"x"}});
  CHECK(text_of_error([&] { compiled.infer({}, three_rows, compiled.initial_state_dict()); }) ==
        "mithril.StateError[E0921]: infer returns no new state, and this model changes its state "
        "in inference, too\n"
        "  changed : dropout.key\n"
        "  help: evaluate what bind(params, state) gives: it returns the next state");
}

TEST_CASE("a model with state is not saved without it") {
  const CompiledModel model = norm();
  CHECK(text_of_error([&] { model.save_torchscript("unused.pt", model.get_parameters()); }) ==
        "mithril.StateError[E0922]: a TorchScript file keeps no state, and the model has one\n"
        "  state : batchnorm1d.running_mean, batchnorm1d.running_var\n"
        "  help: save what bind(params, state) gives, with params={}");
}

}  // namespace mithril
