// Frozen parameters: CompileOptions::frozen, and parameters of layers that the model declares not
// differentiable.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using Keys = std::vector<std::string>;

// Two layers and the mean of their squared results.
Model encoder_and_head() {
  Model model;
  model |= Linear({.dimension = 5}).named("encoder")({{"input", "x"}, {"output", "hidden"}});
  model |= Tanh()({{"input", "hidden"}, {"output", "active"}});
  model |= Linear({.dimension = 2}).named("head")({{"input", "active"}, {"output", "scores"}});
  model |= Model::op("multiply")({{"left", "scores"}, {"right", "scores"}, {"output", "squares"}});
  model |= Mean()({{"input", "squares"}, {"output", "loss"}});
  model.expose_keys(Keys{"loss", "scores", "hidden"});
  return model;
}

CompiledModel compiled_with(CompileOptions options) {
  options.shapes = {{"x", {any, 3}}};
  return compile(encoder_and_head(), cpu(), options);
}

TensorMap points() { return {{"x", Tensor::randn({4, 3}, 1)}}; }

OutputGradients seed_of_loss() { return {{"loss", Tensor::scalar(1.0f)}}; }

std::string freezing_error(const CompileOptions& options) {
  return text_of_error([&] { compiled_with(options); });
}

}  // namespace

TEST_CASE("frozen parameters stay parameters, and have no gradients") {
  const CompiledModel whole = compiled_with({}), frozen = compiled_with({.frozen = {"encoder.*"}});
  CHECK(frozen.parameter_keys() == whole.parameter_keys());
  CHECK(frozen.frozen_keys() == Keys{"encoder.weight", "encoder.bias"});
  CHECK(whole.frozen_keys().empty());
  const TensorMap params = whole.get_parameters(3), same = frozen.get_parameters(3);
  for (const auto& item : params) CHECK(identical(item.tensor(), same.at(item.key())));
  const auto [expected, all] = whole.evaluate(params, points(), seed_of_loss());
  const auto [outputs, gradients] = frozen.evaluate(params, points(), seed_of_loss());
  CHECK(identical(outputs.at("loss"), expected.at("loss")));
  CHECK(gradients.keys() == Keys{"head.weight", "head.bias"});
  for (const auto& item : gradients) CHECK(identical(item.tensor(), all.at(item.key())));
  CHECK(frozen.load_state_dict(params).size() == params.size());
}

TEST_CASE("gradient_keys can ask for the gradient of a frozen parameter") {
  const CompiledModel frozen = compiled_with({.frozen = {"*"}});
  const TensorMap params = frozen.get_parameters();
  CHECK(frozen.evaluate(params, points(), seed_of_loss()).second.size() == 0);
  const TensorMap asked =
      frozen.evaluate(params, points(), seed_of_loss(), {.gradient_keys = {"encoder.bias", "x"}})
          .second;
  const TensorMap all = compiled_with({}).evaluate(params, points(), seed_of_loss()).second;
  CHECK(asked.keys() == Keys{"encoder.bias", "x"});
  CHECK(identical(asked.at("encoder.bias"), all.at("encoder.bias")));
}

TEST_CASE("patterns match keys as parameter groups do, short names too") {
  CHECK(compiled_with({.frozen = {"*.bias", "h??d.weight"}}).frozen_keys() ==
        Keys{"encoder.bias", "head.weight", "head.bias"});
  CHECK(compiled_with({.frozen = {"weight_?"}, .use_short_namings = true}).frozen_keys() ==
        Keys{"weight_0", "weight_1"});
}

TEST_CASE("frozen parameters stay frozen in the forms of a compiled model") {
  const CompiledModel frozen = compiled_with({.frozen = {"encoder.*"}});
  const Keys expected{"encoder.weight", "encoder.bias"};
  CHECK(frozen.in_inference().frozen_keys() == expected);
  CHECK(frozen.in_inference({.outputs = {"scores"}}).frozen_keys() == expected);
  const TensorMap params = frozen.get_parameters();
  CHECK(frozen
            .evaluate(params, points(), OutputGradients({{"scores", Tensor::ones({4, 2})}}),
                      {.outputs = {"scores"}})
            .second.keys() == Keys{"head.weight", "head.bias"});
  CHECK(frozen.bind(params).frozen_keys().empty());
  // A parameter that these outputs do not need may be named, too.
  const CompiledModel hidden = compiled_with({.frozen = {"head.*"}, .outputs = {"hidden"}});
  CHECK(hidden.parameter_keys() == expected);
  CHECK(hidden.frozen_keys().empty());
}

TEST_CASE("a pattern that matches no parameter is refused with the nearest key") {
  CHECK(freezing_error({.frozen = {"encoder.*", "haed.*"}}) ==
        "mithril.NameError[E0623]: no parameter matches the pattern 'haed.*'\n"
        "  help: the nearest key is 'head.weight'");
  CHECK(freezing_error({.frozen = {"bias"}}).ends_with("help: the nearest key is 'head.bias'"));
  CHECK(freezing_error({.frozen = {"x"}})
            .starts_with("mithril.NameError[E0623]: no parameter matches the pattern 'x'\n"));
}

TEST_CASE("a key of another key set is not frozen") {
  const std::string help = "\n  help: name it in one of them";
  CHECK(freezing_error({.trainable_keys = {"head.bias"}, .frozen = {"head.bias"}}) ==
        "mithril.ValueError[E0407]: 'head.bias' is in trainable_keys and in frozen" + help);
  CHECK(freezing_error({.trainable_keys = {"head.bias"}, .frozen = {"head.*"}}) ==
        "mithril.ValueError[E0407]: 'head.bias' is in trainable_keys, and the pattern 'head.*' of "
        "frozen matches it" +
            help);
  CHECK(freezing_error({.data_keys = {"head.bias"}, .frozen = {"head.bias"}}) ==
        "mithril.ValueError[E0407]: 'head.bias' is in data_keys and in frozen" + help);
  CHECK(compiled_with({.data_keys = {"head.bias"}, .frozen = {"head.*"}}).frozen_keys() ==
        Keys{"head.weight"});
}

TEST_CASE("a parameter of a layer that is declared not differentiable is frozen") {
  Model model = encoder_and_head();
  model.set_differentiability({{"encoder.weight", false}});
  for (const Model& each : {model, from_json(to_json(model))}) {
    const CompiledModel compiled =
        compile(each, cpu(), {.shapes = {{"x", {any, 3}}}, .frozen = {"encoder.bias"}});
    CHECK(compiled.frozen_keys() == Keys{"encoder.weight", "encoder.bias"});
    CHECK(compiled.data_keys() == Keys{"x"});
    const TensorMap params = compiled.get_parameters();
    CHECK(compiled.evaluate(params, points(), seed_of_loss()).second.keys() ==
          Keys{"head.weight", "head.bias"});
  }
  CHECK(compile(model, cpu(), {.data_keys = {"encoder.weight"}}).frozen_keys().empty());
}

TEST_CASE("of inputs that are declared not differentiable, those with an initializer are frozen") {
  Model model;
  model |= Multiply()({{"left", "x"}, {"right", "scale"}, {"output", "y"}});
  model.set_differentiability({{"scale", false}});
  CHECK(compile(model, cpu()).data_keys() == Keys{"x", "scale"});
  model.set_initializer("scale", {.distribution = Initializer::Distribution::ones});
  CHECK(compile(model, cpu()).frozen_keys() == Keys{"scale"});
}

TEST_CASE("the base of an adapted weight can be frozen in the model and when compiling") {
  const auto adapted = [] {
    Model model;
    model |= Add()({{"left", "base"}, {"right", "change"}, {"output", "sum"}});
    model |= Linear({.dimension = 2})({{"input", "x"}, {"weight", "sum"}, {"output", "y"}});
    model.set_shapes({{"base", {2, 3}}, {"change", {2, 3}}});
    return model;
  };
  CHECK(compile(adapted(), cpu(), {.frozen = {"base"}}).frozen_keys() == Keys{"base"});
  Model model = adapted();
  model.set_differentiability({{"base", false}});
  const CompiledModel compiled = compile(model, cpu());
  CHECK(compiled.frozen_keys() == Keys{"base"});
  CHECK(compiled.data_keys() == Keys{"x"});
}

TEST_CASE("a summary says which parameters are frozen") {
  const std::string summary = compiled_with({.frozen = {"head.bias"}}).summary();
  CHECK(summary.find("head.weight     parameter         [2, 5]") != std::string::npos);
  CHECK(summary.find("head.bias       frozen parameter  [2]") != std::string::npos);
  CHECK(summary.find("32 parameters in 4 tensors") != std::string::npos);
}

TEST_CASE("exported gradients leave frozen parameters out") {
  const TensorMap data = points();
  const ExportedModel some = compiled_with({.frozen = {"encoder.*"}}).exported(data);
  REQUIRE(some.gradients);
  CHECK(some.gradients->outputs().size() == some.graph.outputs().size() + 2);
  for (const ExportedInput& input : some.inputs) {
    CAPTURE(input.key);
    CHECK(input.is_trained() == input.key.starts_with("head."));
  }
  CHECK(!compiled_with({.frozen = {"*"}}).exported(data).gradients);
}

}  // namespace mithril::tests
