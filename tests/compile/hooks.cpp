// Hooks: values inside a compiled model, shown while it is evaluated.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/compile/loop_steps.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/making_data.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/train_model/train_model.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

CompiledModel hooked_network(CompileOptions options = {}) {
  Model model;
  model |= ml::Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  model |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  options.shapes = {{"x", {any, 2}}};
  return compile(model, cpu(), options);
}

std::string hook_error(CompiledModel& compiled, const std::string& path) {
  try {
    compiled.register_hook(path, [](const Tensor&) {});
  } catch (const NameError& error) {
    return error.what();
  }
  return "";
}

Tensor ones() { return Tensor::full(DType::float32, {4, 2}, 1); }

}  // namespace

TEST_CASE("a hook sees the value at its path, with gradients and without") {
  CompiledModel compiled = hooked_network();
  const TensorMap params = compiled.get_parameters();
  std::vector<Tensor> seen;
  compiled.register_hook("h", [&](const Tensor& value) { seen.push_back(value); });
  const TensorMap outputs = compiled.evaluate(params, {{"x", ones()}});
  compiled.evaluate(params, {{"x", ones()}}, {{"y", Tensor::full(DType::float32, {4, 3}, 1)}});
  REQUIRE(seen.size() == 2);
  CHECK(identical(seen[0], outputs.at("h")));
  CHECK(identical(seen[1], seen[0]));
}

TEST_CASE("a hook sees the values of all steps of a loop, and replaces them") {
  Model body;
  body |= ml::Relu()({{"input", "x"}, {"output", "y"}});
  const Model loop = ml::Scan(body, {.sequences = {"x"}, .outputs = {"y"}, .reverse = true});
  CompiledModel compiled = compile(loop, cpu(), {.shapes = {{"x", {3}}}});
  std::vector<std::vector<int64_t>> steps;
  compiled.register_hook("model.relu.output", [&](const Tensor& value) {
    steps.push_back(loop_steps());
    return value.at_as_double(0) > 1 ? std::optional(Tensor::full(DType::float32, {}, 7))
                                     : std::nullopt;
  });
  const TensorMap outputs = compiled.evaluate({}, {{"x", Tensor::of<float>({3}, {-1, 1, 2})}});
  CHECK(steps == std::vector<std::vector<int64_t>>{{2}, {1}, {0}});
  CHECK(identical(outputs.at("y"), Tensor::of<float>({3}, {0, 1, 7})));
  CHECK(loop_steps().empty());
}

TEST_CASE("hooks do not change the outputs") {
  const CompiledModel compiled = hooked_network();
  CompiledModel hooked = compiled;
  hooked.register_hook("linear.primitivelinear.output", [](const Tensor&) {});
  const TensorMap params = compiled.get_parameters();
  const OutputGradients ones_in{{"y", Tensor::full(DType::float32, {4, 3}, 1)}};
  const auto [outputs, gradients] = compiled.evaluate(params, {{"x", ones()}}, ones_in);
  const auto [same_outputs, same_gradients] = hooked.evaluate(params, {{"x", ones()}}, ones_in);
  CHECK(same_outputs.keys() == outputs.keys());
  CHECK(identical(same_outputs.at("y"), outputs.at("y")));
  CHECK(identical(same_gradients.at("linear.weight"), gradients.at("linear.weight")));
}

TEST_CASE("inputs can be hooked by their short names") {
  CompiledModel compiled = hooked_network({.use_short_namings = true});
  Dims dims;
  compiled.register_hook("weight", [&](const Tensor& value) { dims = value.dims(); });
  compiled.evaluate(compiled.get_parameters(), {{"x", ones()}});
  CHECK(dims == Dims{3, 2});
}

TEST_CASE("hooks are called when values are computed, of one object only") {
  CompiledModel compiled = hooked_network();
  const CompiledModel before = compiled;
  std::string calls;
  compiled.register_hook("y", [&](const Tensor&) { calls += "y"; });
  compiled.register_hook("h", [&](const Tensor&) { calls += "h"; });
  compiled.register_hook("h", [&](const Tensor&) { calls += "i"; });
  const TensorMap params = compiled.get_parameters();
  before.evaluate(params, {{"x", ones()}});
  CHECK(calls.empty());
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls == "hiy");
}

TEST_CASE("a hook that is removed is not called, and the others are") {
  CompiledModel compiled = hooked_network();
  std::string calls;
  HookHandle first = compiled.register_hook("h", [&](const Tensor&) { calls += "h"; });
  HookHandle second = compiled.register_hook("y", [&](const Tensor&) { calls += "y"; });
  const TensorMap params = compiled.get_parameters();
  first.remove();
  first.remove();
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls == "y");
  second.remove();
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls == "y");
  compiled.register_hook("x", [&](const Tensor&) { calls += "x"; });
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls == "yx");
}

TEST_CASE("every path of the model can be hooked, even if the passes remove it") {
  Model block("block");
  block |= ml::Linear({.dimension = 3})({{"input", "input"}, {"output", "output"}});
  Model model;
  model |= block({{"input", "x"}, {"output", "h"}});
  model |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  model |= ml::Sine()({{"input", "h"}, {"output", "unread"}});
  CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {any, 2}}}, .discard_keys = {"unread"}});
  const TensorMap params = compiled.get_parameters();
  const Tensor expected = compiled.evaluate(params, {{"x", ones()}}).at("y");
  for (const char* path :
       {"h", "block.output", "block.linear.output", "relu.input", "block.linear.input"}) {
    CAPTURE(path);
    CompiledModel hooked = compiled;
    int calls = 0;
    hooked.register_hook(path, [&](const Tensor&) { ++calls; });
    CHECK(identical(hooked.evaluate(params, {{"x", ones()}}).at("y"), expected));
    CHECK(calls == 1);
  }
}

TEST_CASE("the result of a hook replaces the value for all its users") {
  CompiledModel compiled = hooked_network();
  const TensorMap params = compiled.get_parameters();
  compiled.register_hook(
      "h", [](const Tensor& value) { return Tensor::full(value.dtype(), value.dims(), -2); });
  compiled.register_hook("h", [](const Tensor& value) {
    CHECK(value.at_as_double(0) == -2);
    return Tensor::full(DType::float64, value.dims(), 7);
  });
  const TensorMap outputs = compiled.evaluate(params, {{"x", ones()}});
  CHECK(identical(outputs.at("h"), Tensor::full(DType::float32, {4, 3}, 7)));
  CHECK(identical(outputs.at("y"), Tensor::full(DType::float32, {4, 3}, 7)));
}

TEST_CASE("a hook on a gradient observes the gradient of the value, and may change it") {
  CompiledModel compiled = hooked_network();
  const TensorMap params = compiled.get_parameters();
  const Tensor incoming = Tensor::full(DType::float32, {4, 3}, 1);
  const TensorMap plain = compiled.evaluate(params, {{"x", ones()}}, {{"h", incoming}}).second;
  std::string calls;
  compiled.register_hook("h",
                         [&](const Tensor& gradient) {
                           calls += "1";
                           CHECK(gradient.dims() == Dims{4, 3});
                           CHECK(gradient.at_as_double(0) == 1);
                           return Tensor::full(DType::float32, {4, 3}, 10);
                         },
                         {.gradient = true});
  compiled.register_hook("h",
                         [&](const Tensor& gradient) {
                           calls += "2";
                           CHECK(gradient.at_as_double(0) == 10);
                         },
                         {.gradient = true});
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls.empty());
  const TensorMap changed = compiled.evaluate(params, {{"x", ones()}}, {{"h", incoming}}).second;
  CHECK(calls == "12");
  for (const auto& [key, gradient] : plain) {
    CHECK(changed.at(key).at_as_double(0) == doctest::Approx(10 * gradient.at_as_double(0)));
  }
}

TEST_CASE("the result of a hook must have the dims and the dtype of the value") {
  CompiledModel compiled = hooked_network();
  compiled.register_hook("h", [](const Tensor&) { return Tensor::full(DType::float32, {2}, 1); });
  std::string text;
  try {
    compiled.evaluate(compiled.get_parameters(), {{"x", ones()}});
  } catch (const InputError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.InputError[E0810]: h: a hook returned a tensor that cannot replace the value\n"
        "  shown : float32[4, 3]\n"
        "  given : float32[2]\n"
        "  help: give one of the same dims, or nothing");
}

TEST_CASE("debug stops at the first value that is not finite") {
  Model model;
  model |= ml::Log()({{"input", "x"}, {"output", "l"}});
  model |= ml::Relu()({{"input", "l"}, {"output", "y"}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {3}}}, .data_keys = {"x"}, .debug = true});
  compiled.evaluate({}, {{"x", Tensor::full(DType::float32, {3}, 1)}});
  std::string text;
  try {
    compiled.evaluate({}, {{"x", Tensor::of<float>({3}, {1, 0, -1})}});
  } catch (const ValueError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.ValueError[E0410]: l: log made 1 NaN, 1 infinite of 3 elements\n"
        "  made : float32[3]\n"
        "  help: earlier values are finite and were printed");
}

TEST_CASE("debug says which inputs were not finite") {
  Model model;
  model |= ml::Relu()({{"input", "x"}, {"output", "r"}});
  model |= ml::Log()({{"input", "r"}, {"output", "y"}});
  const CompiledModel compiled = compile(
      model, cpu(), {.shapes = {{"x", {3}}}, .data_keys = {"x"}, .debug = true, .quiet = true});
  std::string text;
  try {
    compiled.evaluate({}, {{"x", Tensor::of<float>({3}, {1, std::nanf(""), 2})}});
  } catch (const ValueError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.ValueError[E0410]: r: relu made 1 NaN, 0 infinite of 3 elements\n"
        "  made     : float32[3]\n"
        "  data 'x' : 1 NaN, 0 infinite\n"
        "  help: these inputs already had NaN or infinity: check the code that computes them");
}

TEST_CASE("a hook at an unknown value suggests the nearest") {
  CompiledModel compiled = hooked_network();
  CHECK(hook_error(compiled, "linear.wieght") ==
        "mithril.NameError[E0613]: there is no value 'linear.wieght'\n"
        "  known : x, linear.weight, linear.bias, h, y\n"
        "  help: did you mean 'linear.weight'?");
}

TEST_CASE("hook paths in a training model are those of its parameters") {
  Model net;
  net |= ml::Linear({.dimension = 3})({{"input", "x"}});
  net += ml::Relu();
  net += ml::Linear({.dimension = 1})({{"output", "y"}});
  ml::TrainModel train(net);
  train.add_loss(ml::SquaredError(), {{"input", "y"}, {"target", "t"}});
  CompiledModel compiled = compile(train, cpu(), {.shapes = {{"x", {any, 2}}}});
  CHECK(compiled.get_parameters().contains("linear.weight"));
  for (const char* path : {"linear.weight", "linear.output", "model.linear.output",
                           "linear_1.output", "model.linear_1.output", "y", "final_cost"}) {
    CAPTURE(path);
    CHECK_NOTHROW(compiled.register_hook(path, [](const Tensor&) {}));
  }
  const std::string text = hook_error(compiled, "linear");
  CHECK(text.find("known : x, linear.weight, linear.bias, linear_1.weight") != text.npos);
  CHECK(text.find("linear.output, relu.output, y, squarederror.output") != text.npos);
  CHECK(text.find("help: did you mean 'linear.weight', 'linear.bias' or 'linear.output'?") !=
        text.npos);
}

TEST_CASE("an unknown hook lists keys as the compiled model names them") {
  CompiledModel compiled = hooked_network({.use_short_namings = true});
  CHECK(hook_error(compiled, "nothing").find("known : x, weight, bias, h, y") != std::string::npos);
}

}  // namespace mithril
