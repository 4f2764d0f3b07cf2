// Hooks: values inside a compiled model, shown while it is evaluated.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

CompiledModel network(CompileOptions options = {}) {
  Model model;
  model |= ml::Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  model |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  options.shapes = {{"x", {any, 2}}};
  return compile(model, cpu(), options);
}

Tensor ones() { return Tensor::full(DType::float32, {4, 2}, 1); }

}  // namespace

TEST_CASE("a hook sees the value at its path, with gradients and without") {
  CompiledModel compiled = network();
  const TensorMap params = compiled.get_parameters();
  std::vector<Tensor> seen;
  compiled.register_hook("h", [&](const Tensor& value) { seen.push_back(value); });
  const TensorMap outputs = compiled.evaluate(params, {{"x", ones()}});
  compiled.evaluate(params, {{"x", ones()}}, {{"y", Tensor::full(DType::float32, {4, 3}, 1)}});
  REQUIRE(seen.size() == 2);
  CHECK(identical(seen[0], outputs.at("h")));
  CHECK(identical(seen[1], seen[0]));
}

TEST_CASE("hooks do not change what comes out") {
  const CompiledModel compiled = network();
  CompiledModel hooked = compiled;
  hooked.register_hook("linear.matrixmultiply.output", [](const Tensor&) {});
  const TensorMap params = compiled.get_parameters();
  const OutputGradients ones_in{{"y", Tensor::full(DType::float32, {4, 3}, 1)}};
  const auto [outputs, gradients] = compiled.evaluate(params, {{"x", ones()}}, ones_in);
  const auto [same_outputs, same_gradients] = hooked.evaluate(params, {{"x", ones()}}, ones_in);
  CHECK(same_outputs.keys() == outputs.keys());
  CHECK(identical(same_outputs.at("y"), outputs.at("y")));
  CHECK(identical(same_gradients.at("linear.weight"), gradients.at("linear.weight")));
}

TEST_CASE("inputs can be hooked by their short names") {
  CompiledModel compiled = network({.use_short_namings = true});
  Dims dims;
  compiled.register_hook("weight", [&](const Tensor& value) { dims = value.dims(); });
  compiled.evaluate(compiled.get_parameters(), {{"x", ones()}});
  CHECK(dims == Dims{3, 2});
}

TEST_CASE("hooks are called in the order in which they came, of one object only") {
  CompiledModel compiled = network();
  const CompiledModel before = compiled;
  std::string calls;
  compiled.register_hook("y", [&](const Tensor&) { calls += "y"; });
  compiled.register_hook("h", [&](const Tensor&) { calls += "h"; });
  const TensorMap params = compiled.get_parameters();
  before.evaluate(params, {{"x", ones()}});
  CHECK(calls.empty());
  compiled.evaluate(params, {{"x", ones()}});
  CHECK(calls == "yh");
}

TEST_CASE("a hook at no value gives the nearest") {
  CompiledModel compiled = network();
  std::string text;
  try {
    compiled.register_hook("linear.wieght", [](const Tensor&) {});
  } catch (const NameError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.NameError[E0613]: there is no value 'linear.wieght'\n"
        "  known : x, linear.weight, linear.bias, linear.transpose.output, "
        "linear.matrixmultiply.output, h, y\n"
        "  help: did you mean 'linear.weight'?; passes drop values that are not needed: "
        "optimization_level \"none\" keeps all");
}

}  // namespace mithril
