// Weights with running statistics, patterns, and files in which nothing fits.
#include "mithril/training/load_weights.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/training/checkpoint.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"
#include "tests/training/fit_model.hpp"

namespace mithril {
namespace {

using tests::check_equal_maps;
using tests::FileFolder;
using tests::text_of_error;

Model encoder() {
  Model model;
  model |= Linear({.dimension = 3}).named("fc")({{"input", "x"}, {"output", "h"}});
  model |= BatchNorm1D().named("norm")({{"input", "h"}, {"output", "y"}});
  return model;
}

CompiledModel compiled_of(const Model& model) {
  return compile(model, cpu(), {.shapes = {{"x", {any, 4}}}});
}

State moved_statistics(const CompiledModel& model) {
  State state = model.initial_state_dict();
  for (auto& [key, tensor] : state) tensor = Tensor::full(tensor.dtype(), tensor.dims(), 0.25);
  return state;
}

}  // namespace

TEST_CASE("running statistics load into the state") {
  const CompiledModel model = compiled_of(encoder());
  const TensorMap params = model.randomize_params(1);
  const State state = moved_statistics(model);
  const TensorMap saved = with_state(params, state);
  const LoadedWeights loaded = load_weights(model, saved, {.return_state = true});
  check_equal_maps(loaded.params, params);
  check_equal_maps(loaded.state, state);
  for (const bool strict : {false, true}) {
    CHECK(text_of_error([&] { load_weights(model, saved, {.strict = strict}); }) ==
          "mithril.StateError[E0901]: the state dict does not fit the model\n"
          "  state : norm.running_mean [3]\n"
          "  state : norm.running_var [3]\n"
          "  help: set return_state to load running statistics, or ignore to skip them");
  }
  CHECK(text_of_error([&] { load_weights(model, params, {.return_state = true}); }) ==
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing : norm.running_mean [3]\n"
        "  missing : norm.running_var [3]");
}

TEST_CASE("a checkpoint of an outer model loads into its part") {
  const FileFolder folder;
  Model whole;
  whole |= encoder().named("encoder")({{"x", "x"}, {"y", "h"}});
  whole |= Linear({.dimension = 2}).named("head")({{"input", "h"}, {"output", "y"}});
  const CompiledModel outer = compiled_of(whole), inner = compiled_of(encoder());
  const TensorMap params = outer.randomize_params(2);
  const State state = moved_statistics(outer);
  const std::string path = folder.at("run.safetensors");
  save(path, params, {.state = &state});
  const LoadedWeights loaded =
      load_weights(inner, path, {.prefix = "encoder.", .return_state = true});
  check_equal_maps(loaded.params, params.without_prefix("encoder."));
  check_equal_maps(loaded.state, state.without_prefix("encoder."));
}

TEST_CASE("weights of other names are an error, strict or not") {
  const CompiledModel model = compiled_of(encoder());
  const TensorMap other{{"w", Tensor(DType::float32, {3, 4})}};
  CHECK(text_of_error([&] { load_weights(model, other, {.strict = false}); }) ==
        "mithril.StateError[E0901]: no tensor of the state dict has the name of a parameter\n"
        "  parameters : fc.weight, fc.bias, norm.weight, norm.bias\n"
        "  stored     : w\n"
        "  help: give the stored names with prefix or name_map");
  CHECK(text_of_error([&] {
          load_weights(model, other, {.strict = false, .name_map = {{"fd.*", "w"}}});
        }).starts_with("mithril.NameError[E0623]: no parameter matches the pattern 'fd.*'\n"));
}

TEST_CASE("a star in a pattern of weights is any text, as in a parameter group") {
  const CompiledModel model = compiled_of(encoder());
  const TensorMap params = model.randomize_params(3);
  const TensorMap saved = params.with_prefix("net/");
  check_equal_maps(load_weights(model, saved, {.name_map = {{"*", "net/*"}}}).params, params);
  const TensorMap one{{"fc.w", params.at("fc.weight")},
                      {"fc.bias", params.at("fc.bias")},
                      {"norm.w", params.at("norm.weight")},
                      {"norm.bias", params.at("norm.bias")}};
  check_equal_maps(load_weights(model, one, {.name_map = {{"*.weigh?", "*.w"}}}).params, params);
}

}  // namespace mithril
