// Requested outputs, and inputs that they do not need.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/metrics.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/package/package.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/fit.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Names = std::vector<std::string>;

// A network with batch norm, a loss and a metric, by hand.
Model model_with_loss() {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}});
  net += BatchNorm1D();
  net += Linear({.dimension = 2})({{"output", "logits"}});
  Model model;
  model |= net({{"x", "x"}, {"logits", "logits"}});
  model |= CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  model |= Accuracy({.is_label_one_hot = false})(
      {{"pred", "logits"}, {"label", "label"}, {"output", "accuracy"}});
  return model.expose_keys({"logits", "losses", "loss", "accuracy"});
}

TrainModel training_model() {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}, {"output", "y"}});
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}}, {.key_name = "error"});
  train.add_regularization(L2(), 0.1, KeyPattern{"weight"});
  return train;
}

CompiledModel compiled_with_loss() {
  return compile(model_with_loss(), cpu(), {.shapes = {{"x", {"N", 4}}}, .data_keys = {"x"}});
}

const TensorMap rows_of_x = {{"x", Tensor::full(DType::float32, {5, 4}, 0.5)}};

TensorMap with_label() {
  TensorMap data = rows_of_x.share();
  data["label"] = Tensor(DType::int64, {5});
  return data;
}

std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("an output that is asked for needs no label") {
  const CompiledModel compiled = compiled_with_loss();
  const TensorMap params = compiled.get_parameters();
  const State state = compiled.initial_state_dict();
  const auto [some, next] = compiled.evaluate(params, rows_of_x, state, {.outputs = {"logits"}});
  const auto [all, next_of_all] = compiled.evaluate(params, with_label(), state);
  CHECK(some.keys() == Names{"logits"});
  CHECK(floats(some.at("logits")) == floats(all.at("logits")));
  CHECK(next.keys() == next_of_all.keys());
  for (const auto& [key, tensor] : next) CHECK(floats(tensor) == floats(next_of_all.at(key)));
  CHECK(floats(compiled.evaluate(params, with_label(), state, {.outputs = {"logits"}})
                   .first.at("logits")) == floats(all.at("logits")));
}

TEST_CASE("in inference mode losses and metrics are outputs if they are asked for") {
  const CompiledModel compiled = compiled_with_loss();
  const TensorMap params = compiled.get_parameters();
  const State state = compiled.initial_state_dict();
  const TensorMap outputs = compiled.infer(params, rows_of_x, state);
  CHECK(outputs.keys() == Names{"logits"});
  const TensorMap loss = compiled.infer(params, with_label(), state, {.outputs = {"loss"}});
  CHECK(loss.keys() == Names{"loss"});
  CHECK(compiled.infer(params, with_label(), state).keys() == Names{"logits"});
  const CompiledModel deployed = compiled.bind(params, state);
  CHECK(deployed.data_keys() == Names{"x"});
  CHECK(floats(deployed.evaluate({}, rows_of_x).at("logits")) == floats(outputs.at("logits")));
  CHECK(floats(deployed.evaluate({}, with_label()).at("logits")) == floats(outputs.at("logits")));
  const CompiledModel scored = compiled.bind(params, state, {.outputs = {"loss", "logits"}});
  CHECK(scored.output_keys() == Names{"logits", "loss"});
  CHECK(floats(scored.evaluate({}, with_label()).at("loss")) == floats(loss.at("loss")));
  CHECK(scored.evaluate({}, rows_of_x, {.outputs = {"logits"}}).keys() == Names{"logits"});
  CHECK(compile(model_with_loss(), cpu(), {.shapes = {{"x", {"N", 4}}}, .inference = true})
            .output_keys() == Names{"logits"});
  CHECK(compiled.bind(params).data_keys() == Names{"x"});
}

TEST_CASE("losses that a training model adds are not outputs in inference mode") {
  const CompiledModel compiled = compile(training_model(), cpu(), {.shapes = {{"x", {"N", 4}}}});
  const TensorMap params = compiled.get_parameters();
  CHECK(compiled.output_keys() == Names{"y", "error", "final_cost"});
  CHECK(compiled.infer(params, rows_of_x).keys() == Names{"y"});
  CHECK(compiled.bind(params).evaluate({}, rows_of_x).keys() == Names{"y"});
}

TEST_CASE("a model that makes only losses keeps them in inference mode") {
  Model model;
  model |= Linear({.dimension = 4})({{"input", "x"}, {"output", "y"}});
  model |= SquaredError()({{"input", "y"}, {"target", "x"}, {"output", "loss"}});
  model.expose_keys({"loss"});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {"N", 4}}}});
  CHECK(compiled.infer(compiled.get_parameters(), rows_of_x).keys() == Names{"loss"});
}

TEST_CASE("a distance that other parts read is not a loss") {
  Model model;
  model |= Linear({.dimension = 3})({{"input", "x"}, {"output", "y"}});
  model |= SquaredError()({{"input", "y"}, {"target", "center"}, {"output", "distance"}});
  model |= Softmax()({{"input", "distance"}, {"output", "weights"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {5, 4}}, {"center", {5, 3}}}});
  CHECK(compiled.infer(compiled.get_parameters(), rows_of_x).keys() ==
        Names{"y", "distance", "weights"});
}

TEST_CASE("gradients of some outputs need no other inputs") {
  Model model;
  model |= Linear({.dimension = 1})({{"input", "a"}, {"output", "y"}});
  model |= Linear({.dimension = 1})({{"input", "b"}, {"output", "z"}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"a", {2, 2}}, {"b", {2, 2}}}});
  const TensorMap params = compiled.get_parameters();
  const TensorMap a = {{"a", Tensor::full(DType::float32, {2, 2}, 1.0)}};
  const OutputGradients of_y = {{"y", Tensor::full(DType::float32, {2, 1}, 1.0)}};
  const auto [outputs, gradients] = compiled.evaluate(params, a, of_y, {.outputs = {"y"}});
  CHECK(outputs.keys() == Names{"y"});
  CHECK(gradients.keys() == params.keys());
  CHECK(floats(gradients.at("linear.weight")) == std::vector<float>{2, 2});
  CHECK(floats(gradients.at("linear_1.weight")) == std::vector<float>{0, 0});
  const TensorMap half = {{"linear.weight", params.at("linear.weight")},
                          {"linear.bias", params.at("linear.bias")}};
  CHECK(compiled.evaluate(half, a, {.outputs = {"y"}}).keys() == Names{"y"});
  CHECK(compiled.evaluate(half, a, of_y, {.outputs = {"y"}}).second.keys() == half.keys());
}

TEST_CASE("gradients of some inputs") {
  Model model;
  model |= Linear({.dimension = 1})({{"input", "x"}, {"output", "y"}});
  model |= Multiply()({{"left", "y"}, {"right", "scale"}, {"output", "z"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {2, 3}}, {"scale", {2, 1}}}, .data_keys = {"scale"}});
  const TensorMap params = {{"linear.weight", Tensor::of<float>({1, 3}, {1, 2, 3})},
                            {"linear.bias", Tensor::full(DType::float32, {1}, 0.0)}};
  const TensorMap data = {{"x", Tensor::full(DType::float32, {2, 3}, 1.0)},
                          {"scale", Tensor::of<float>({2, 1}, {2, -1})}};
  const OutputGradients of_z = {{"z", Tensor::full(DType::float32, {2, 1}, 1.0)}};
  const auto gradients = [&](const GradientOptions& options) {
    return compiled.evaluate(params, data, of_z, options).second;
  };
  CHECK(gradients({}).keys() == params.keys());
  const TensorMap of_x = gradients({.gradient_keys = {"x"}});
  CHECK(of_x.keys() == Names{"x"});
  CHECK(floats(of_x.at("x")) == std::vector<float>{2, 4, 6, -1, -2, -3});
  const TensorMap both = gradients({.gradient_keys = {"scale", "linear.weight"}});
  CHECK(both.keys() == Names{"linear.weight", "scale"});
  CHECK(floats(both.at("linear.weight")) == std::vector<float>{1, 1, 1});
  CHECK(floats(both.at("scale")) == std::vector<float>{6, 6});
  const OutputGradients of_y = {{"y", Tensor::full(DType::float32, {2, 1}, 1.0)}};
  const TensorMap not_needed =
      compiled.evaluate(params, data, of_y, {.outputs = {"y"}, .gradient_keys = {"scale"}}).second;
  CHECK(floats(not_needed.at("scale")) == std::vector<float>{0, 0});
  CHECK(text_of_error([&] { gradients({.gradient_keys = {"y"}}); }) ==
        "mithril.InputError[E0817]: there is no input 'y'\n"
        "  known : linear.weight, linear.bias, x, scale");
}

TEST_CASE("ints have no gradient") {
  const CompiledModel compiled = compiled_with_loss();
  CHECK(text_of_error([&] {
          compiled.evaluate(compiled.get_parameters(), with_label(),
                            {{"loss", Tensor::full(DType::float32, {}, 1.0)}},
                            compiled.initial_state_dict(), {.gradient_keys = {"label"}});
        }).starts_with("mithril.GradientError[E0502]: label: "));
}

TEST_CASE("compile keeps the outputs that it is asked for") {
  const CompiledModel compiled =
      compile(model_with_loss(), cpu(), {.shapes = {{"x", {"N", 4}}}, .outputs = {"logits"}});
  CHECK(compiled.output_keys() == Names{"logits"});
  CHECK(compiled.data_keys() == Names{"x"});
  CHECK(text_of_error([] {
          compile(model_with_loss(), cpu(), {.outputs = {"logit"}});
        }).starts_with("mithril.NameError[E0606]"));
  CHECK(text_of_error([] {
          compile(model_with_loss(), cpu(), {.discard_keys = {"loss"}, .outputs = {"loss"}});
        }).starts_with("mithril.ValueError[E0407]: 'loss' is in discard_keys and in outputs"));
  CHECK(text_of_error([] {
          compile(model_with_loss(), cpu(), {.outputs = {"x"}});
        }).starts_with("mithril.NameError[E0611]: 'x' of outputs is not an output"));
}

TEST_CASE("an output that a model lacks is refused with its outputs") {
  const CompiledModel compiled = compiled_with_loss();
  CHECK(text_of_error([&] {
          compiled.infer(compiled.get_parameters(), rows_of_x, compiled.initial_state_dict(),
                         {.outputs = {"logit"}});
        }) ==
        "mithril.InputError[E0807]: there is no output 'logit'\n"
        "  known : logits, losses, loss, accuracy\n"
        "  help: did you mean 'logits'?");
}

TEST_CASE("a missing input names the outputs that need it") {
  const CompiledModel compiled = compiled_with_loss();
  CHECK(text_of_error([&] {
          compiled.evaluate(compiled.get_parameters(), rows_of_x, compiled.initial_state_dict());
        }) ==
        "mithril.InputError[E0801]: data lacks label\n"
        "  expected   : x, label\n"
        "  got        : x\n"
        "  needed for : losses, loss, accuracy\n"
        "  help: to evaluate only the other outputs, give outputs=['logits']");
}

TEST_CASE("hooks apply to some outputs, too") {
  CompiledModel compiled = compiled_with_loss();
  const TensorMap params = compiled.get_parameters();
  const State state = compiled.initial_state_dict();
  const auto before = floats(compiled.infer(params, rows_of_x, state).at("logits"));
  int calls = 0;
  HookHandle hook =
      compiled.register_hook("logits", [&](const Tensor& logits) -> std::optional<Tensor> {
        ++calls;
        return Tensor::full(DType::float32, logits.dims(), 7.0);
      });
  const OutputOptions logits{{"logits"}};
  CHECK(floats(compiled.evaluate(params, rows_of_x, state, logits).first.at("logits")).front() ==
        7.0f);
  CHECK(floats(compiled.infer(params, rows_of_x, state).at("logits")).front() == 7.0f);
  CHECK(calls == 2);
  hook.remove();
  CHECK(floats(compiled.infer(params, rows_of_x, state).at("logits")) == before);
}

TEST_CASE("a package has the requested outputs and the inputs that they need") {
  const TemporaryFolder folder("mithril_outputs_");
  const CompiledModel compiled = compile(training_model(), cpu(), {.shapes = {{"x", {"N", 4}}}});
  const TensorMap params = compiled.get_parameters();
  const std::string path = folder.path() + "/net";
  save_package(path, training_model(), params);
  const Package package = load_package(path);
  CHECK(package.info().outputs.size() == 1);
  CHECK(package.info().inputs.size() == 1);
  CHECK(floats(package.compile_bound(cpu()).evaluate({}, rows_of_x).at("y")) ==
        floats(compiled.infer(params, rows_of_x).at("y")));
  save_package(path, training_model(), params, {.outputs = {"y", "error"}});
  CHECK(load_package(path).compile_bound(cpu()).data_keys() == Names{"x", "t"});

  const CompiledModel normed = compiled_with_loss();
  const State state = normed.initial_state_dict();
  save_package(path, model_with_loss(), normed.get_parameters(), {.state = &state});
  CHECK(floats(load_package(path).compile_bound(cpu()).evaluate({}, rows_of_x).at("logits")) ==
        floats(normed.infer(normed.get_parameters(), rows_of_x, state).at("logits")));
}

}  // namespace mithril
