// Models as arguments of models.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/perceptron.hpp"
#include "mithril/op/part.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/json/check_round_trip.hpp"

namespace mithril::tests {
namespace {

double activated(const Model& layer, double input) {
  const CompiledModel compiled = compile(layer, cpu({.dtype = DType::float64}),
                                         {.shapes = {{"input", {1, 1}}, {"output", {1, 1}}}});
  const TensorMap params{{"weight", Tensor::full(DType::float64, {1, 1}, 1.0)},
                         {"bias", Tensor::full(DType::float64, {1}, 0.0)}};
  const TensorMap data{{"input", Tensor::full(DType::float64, {1, 1}, input)}};
  return compiled.evaluate(params, data).at("output").item();
}

}  // namespace

TEST_CASE("an activation is a class name, or a model with its arguments") {
  CHECK(activated(Layer({.activation = "Relu"}), -2) == 0);
  CHECK(activated(Layer({.activation = Relu()}), -2) == 0);
  CHECK(activated(Layer({.activation = LeakyRelu({.slope = 0.5})}), -2) == -1);
}

TEST_CASE("one model as the argument of several layers makes parts of their own") {
  const Model activation = LeakyRelu({.slope = 0.5});
  const Model chain =
      MLP({.activations = {activation, "Tanh", activation}, .dimensions = {3, 2, 1}});
  CHECK(chain.input_keys().size() == 7);
  CHECK(Layer({.activation = "Relu"}) == Layer({.activation = Relu()}));
}

TEST_CASE("models that are arguments are written with theirs, and read") {
  check_round_trip(Layer({.activation = LeakyRelu({.slope = 0.5}), .dimension = 2}));
  Model named = Relu();
  named.named("act");
  check_round_trip(
      MLP({.activations = {named, Softmax({.axis = 1}), "Tanh"}, .dimensions = {3, 2, 1}}));
  CHECK(from_json(R"({"name": "MLP", "args": {"dimensions": [3, 2], "activations":
                      ["Relu", {"name": "LeakyRelu", "args": {"slope": 0.5}}]}})") ==
        MLP({.activations = {Relu(), LeakyRelu({.slope = 0.5})}, .dimensions = {3, 2}}));
}

TEST_CASE("the parameters of a chain of layers may have other names") {
  const Model chain = MLP({.activations = {"Relu", "Tanh"},
                           .dimensions = {3, 2},
                           .input_name_templates = {{"weight", "w"}, {"bias", "b"}}});
  CHECK(chain.input_keys() == std::vector<std::string>{"w0", "b0", "input", "w1", "b1"});
  check_round_trip(chain);
  CHECK(from_json(R"({"name": "MLP", "args": {"activations": ["Relu", "Tanh"], "dimensions": [3, 2],
                      "input_name_templates": {"weight": "w", "bias": "b"}}})") == chain);
  CHECK(text_of_error([] {
          MLP({.activations = {"Relu"},
               .dimensions = {3},
               .input_name_templates = {{"wieght", "w"}}});
        }).find("expected : names of weight and bias") != std::string::npos);
}

TEST_CASE("a model that its user composed cannot be an argument") {
  Model own;
  own |= Relu()({{"input", "input"}, {"output", "output"}});
  CHECK(text_of_error([&] { Layer({.activation = own}); }) ==
        "mithril.TypeError[E0305]: a model argument must be an unmodified model of the library\n"
        "  got : Model   composed by its user\n"
        "  help: compose the outer model of parts instead");
}

TEST_CASE("an argument that should be a model is refused with the given object") {
  CHECK(text_of_error([] {
          make_model("Layer", {{"activation", 3}});
        }) ==
        "mithril.TypeError[E0304]: Layer: argument 'activation' has the wrong kind\n"
        "  expected : a model of the library, or its class name\n"
        "  got      : 3   int");
}

}  // namespace mithril::tests
