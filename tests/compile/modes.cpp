// Training and inference of one compiled model.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/attention.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"

namespace mithril {
namespace {

using Fixed = std::optional<bool>;  // the option `inference` of a part

// A network with batch norm, attention with dropout, and dropout.
Model modal_network(const Fixed& mode = {}) {
  Model net;
  net |= BatchNorm1D({.inference = mode})({{"input", "x"}, {"output", "even"}});
  net |= ScaledDotProduct({.is_causal = false, .dropout_p = 0.5, .inference = mode})(
      {{"query", "even"}, {"key", "even"}, {"value", "even"}, {"output", "mixed"}});
  net |= Linear({.dimension = 3})({{"input", "mixed"}, {"output", "h"}});
  net |= Dropout({.inference = mode})({{"input", "h"}, {"output", "y"}});
  net.expose_keys({"y", "h", "even"});
  return net.set_cin({"x"});
}

CompiledModel compiled_for_rows(const Model& model, bool inference = false) {
  return compile(model, cpu({.dtype = DType::float64}),
                 {.shapes = {{"x", {any, 4}}}, .inference = inference});
}

Tensor rows(double first) {
  Tensor x(DType::float64, {6, 4});
  for (double& element : x.mutable_values<double>()) element = first = std::fmod(first * 3.7, 5);
  return x;
}

// The state after some training.
State trained(const CompiledModel& model, const TensorMap& params) {
  State state = model.initial_state_dict();
  for (int i = 0; i < 3; ++i)
    state = model.evaluate(params, {{"x", rows(1 + 0.1 * i)}}, state).second;
  return state;
}

void check_equal(const TensorMap& a, const TensorMap& b) {
  REQUIRE(a.keys() == b.keys());
  for (const auto& [key, tensor] : a) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      CHECK(tensor.at_as_double(i) == doctest::Approx(b.at(key).at_as_double(i)).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("in inference dropout passes everything and batch norm uses the running statistics") {
  const CompiledModel model = compiled_for_rows(modal_network());
  const TensorMap params = model.get_parameters(), data = {{"x", rows(1)}};
  const State state = trained(model, params);
  const TensorMap outputs = model.infer(params, data, state);
  CHECK(identical(outputs.at("y"), outputs.at("h")));
  const double mean = state.at("batchnorm1d.running_mean").at_as_double(1);
  const double variance = state.at("batchnorm1d.running_var").at_as_double(1);
  CHECK(outputs.at("even").at_as_double(1) ==
        doctest::Approx((data.at("x").at_as_double(1) - mean) / std::sqrt(variance + 1e-5)));
  const TensorMap training = model.evaluate(params, data, state).first;
  CHECK_FALSE(identical(training.at("y"), training.at("h")));
  CHECK_FALSE(identical(training.at("even"), outputs.at("even")));
}

TEST_CASE("every way to run inference gives the same result") {
  const CompiledModel model = compiled_for_rows(modal_network());
  const TensorMap params = model.get_parameters(), data = {{"x", rows(2)}};
  const State state = trained(model, params);
  const TensorMap expected = compiled_for_rows(modal_network(true)).infer(params, data, state);
  check_equal(model.infer(params, data, state), expected);
  check_equal(model.in_inference().evaluate(params, data, state).first, expected);
  check_equal(compiled_for_rows(modal_network(), true).evaluate(params, data, state).first,
              expected);
  check_equal(model.bind(params, state).evaluate({}, data), expected);
  check_equal(model.bind(params).evaluate({}, data, state).first, expected);
  check_equal(compiled_for_rows(modal_network(true)).evaluate(params, data, state).first, expected);
}

TEST_CASE("keys of parameters and data are the same in both modes") {
  const CompiledModel model = compiled_for_rows(modal_network()), inference = model.in_inference();
  CHECK(model.input_keys() == inference.input_keys());
  CHECK(model.output_keys() == inference.output_keys());
  CHECK(model.initial_state_dict().size() == 4);
  CHECK(inference.initial_state_dict().keys() ==
        std::vector<std::string>{"batchnorm1d.running_mean", "batchnorm1d.running_var"});
}

TEST_CASE("a part whose mode is fixed keeps it") {
  Model model;
  model |= BatchNorm1D({.inference = true})({{"input", "x"}, {"output", "frozen"}});
  model |= Dropout({.inference = false})({{"input", "x"}, {"output", "dropped"}});
  model.set_cin({"x"}).expose_keys(std::vector<std::string>{"frozen", "dropped"});
  const TensorMap params = compiled_for_rows(model).get_parameters(), data = {{"x", rows(1)}};
  for (const bool inference : {false, true}) {
    const CompiledModel made = compiled_for_rows(model, inference);
    const State start = made.initial_state_dict();
    const auto [outputs, next] = made.evaluate(params, data, start);
    CHECK(identical(next.at("batchnorm1d.running_mean"), start.at("batchnorm1d.running_mean")));
    CHECK_FALSE(identical(next.at("dropout.key"), start.at("dropout.key")));
    CHECK_FALSE(identical(outputs.at("dropped"), data.at("x")));
  }
}

TEST_CASE("a state that inference changes is a state of the inference model") {
  const CompiledModel model = compiled_for_rows(modal_network(false));
  const TensorMap params = model.get_parameters(), data = {{"x", rows(1)}};
  const State state = trained(model, params);
  const CompiledModel made = model.bind(params, state);
  CHECK(made.initial_state_dict().keys() == state.keys());
  const auto [outputs, next] = made.evaluate({}, data, made.initial_state_dict());
  const auto [expected, expected_next] = model.evaluate(params, data, state);
  check_equal(outputs, expected);
  check_equal(next, expected_next);
}

TEST_CASE("a model with dropout needs no state in inference") {
  Model model;
  model |= Dropout()({{"input", "x"}, {"output", "y"}});
  const CompiledModel made = compiled_for_rows(model);
  const TensorMap data = {{"x", rows(1)}};
  CHECK(identical(made.infer({}, data).at("y"), data.at("x")));
  // The old name of `bind`, until 0.2.
  CHECK(identical(made.for_inference({}).evaluate({}, data).at("y"), data.at("x")));
  CHECK(identical(compiled_for_rows(model, true).evaluate({}, data).at("y"), data.at("x")));
}

TEST_CASE("a model made for inference shares no elements with params and state") {
  const CompiledModel model = compiled_for_rows(modal_network());
  TensorMap params = model.get_parameters();
  State state = trained(model, params);
  const TensorMap data = {{"x", rows(1)}};
  const CompiledModel made = model.bind(params, state);
  const TensorMap before = made.evaluate({}, data);
  for (const auto& [key, tensor] : params) Tensor(tensor).mutable_values<double>()[0] += 1;
  state.at("batchnorm1d.running_mean").mutable_values<double>()[0] += 1;
  check_equal(made.evaluate({}, data), before);
}

TEST_CASE("hooks are called in inference") {
  CompiledModel model = compiled_for_rows(modal_network());
  const TensorMap params = model.get_parameters(), data = {{"x", rows(1)}};
  const State state = trained(model, params);
  int whole = 0, kept = 0;
  HookHandle handle = model.register_hook("dropout.output", [&](const Tensor& value) {
    ++whole;
    return std::optional(Tensor::full(value.dtype(), value.dims(), 7));
  });
  model.register_hook("dropout.greaterequal.output", [&](const Tensor&) { ++kept; });
  CHECK(model.infer(params, data, state).at("y").at_as_double(0) == 7);
  CHECK(whole == 1);
  CHECK(kept == 0);  // a mask is drawn in training alone
  handle.remove();
  CHECK(model.infer(params, data, state).at("y").at_as_double(0) != 7);
}

TEST_CASE("a user's part follows the mode, too") {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", 2.0}, {"output", "twice"}});
  model |= Model::op("by_mode")({{"training", "twice"}, {"inference", "x"}, {"output", "y"}});
  model.expose_keys({"y"});
  model.set_cin({"x"});
  const CompiledModel made = compiled_for_rows(model);
  const TensorMap data = {{"x", rows(1)}};
  CHECK(made.evaluate({}, data).at("y").at_as_double(3) == 2 * data.at("x").at_as_double(3));
  CHECK(made.infer({}, data).at("y").at_as_double(3) == data.at("x").at_as_double(3));
}

TEST_CASE("generated code takes the statistics that inference reads as data") {
  const ExportedModel made = compiled_for_rows(modal_network(), true).exported({{"x", rows(1)}});
  int seen = 0;
  for (const ExportedInput& input : made.inputs) {
    if (!input.key.starts_with("batchnorm1d.running")) continue;
    ++seen;
    CHECK(input.role == ExportedInput::Role::data);
    CHECK(input.dims == Dims{4});
    CHECK_FALSE(input.initial.has_value());
  }
  CHECK(seen == 2);
}

TEST_CASE("short names are the same in both modes") {
  const CompileOptions options{.shapes = {{"x", {any, 4}}}, .use_short_namings = true};
  const CompiledModel model = compile(modal_network(), cpu({.dtype = DType::float64}), options);
  CHECK(model.in_inference().input_keys() == model.input_keys());
  const TensorMap params = model.get_parameters();
  const State state = trained(model, params);
  CHECK(model.infer(params, {{"x", rows(1)}}, state).size() == 3);
}

}  // namespace mithril
