// `fit` called again, with losses that are not numbers, and with random numbers in validation;
// python/tests/training/test_fit_again.py tests that of Python.
#include <doctest/doctest.h>

#include <cmath>

#include "mithril/compile/finite.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/random.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/fit.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"
#include "tests/training/fit_model.hpp"

namespace mithril {
namespace {

using tests::accuracy;
using tests::check_equal_maps;
using tests::compiled_for_fit;
using tests::FileFolder;
using tests::fit_quietly;
using tests::losses_of;
using tests::points;
using tests::text_of_error;

struct AdamStep {
  Adam optimizer{{.lr = 0.01}};
  TrainingStep step;
  explicit AdamStep(const CompiledModel& model) : step(model, optimizer) {}
};

TensorMap with_nan(std::int64_t rows, std::int64_t row) {
  TensorMap data = points(rows, 0);
  data.at("x").mutable_values<float>()[static_cast<size_t>(row * 4)] = std::nanf("");
  return data;
}

// Draws random numbers as a VAE does.
CompiledModel with_noise() {
  const Connection x("x");
  const Connection mean = Linear({.dimension = 2})(x);
  const Connection noise = Randn()(mean.shape());
  const Connection y = Linear({.dimension = 4})(mean + noise * 0.1);
  TrainModel train(Model::create({{"y", y}}));
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "x"}});
  return compile(train, cpu(), {.shapes = {{"x", {any, 4}}}, .data_keys = {"x"}});
}

}  // namespace

TEST_CASE("a second call of fit continues from where the first ended") {
  const CompiledModel model = compiled_for_fit();
  const TensorMap data = points(100, 0);
  AdamStep whole(model), parts(model);
  const History expected = fit_quietly(whole.step, data, {.epochs = 4});
  const History first = fit_quietly(parts.step, data, {.epochs = 1});
  const TensorMap after_first = first.params.copy();
  std::vector<double> losses = losses_of(first);
  const History second = fit_quietly(parts.step, data, {.epochs = 3});
  for (const double loss : losses_of(second)) losses.push_back(loss);
  CHECK(losses == losses_of(expected));
  check_equal_maps(second.params, expected.params);
  check_equal_maps(first.params, after_first);
  check_equal_maps(parts.step.state(), whole.step.state());
  check_equal_maps(parts.optimizer.state_dict(), whole.optimizer.state_dict());
}

TEST_CASE("a checkpoint of a second call of fit continues with the same bits") {
  const FileFolder folder;
  const CompiledModel model = compiled_for_fit();
  const TensorMap data = points(100, 0);
  const auto run = [&](const char* name, std::int64_t epochs) {
    AdamStep of(model);
    fit_quietly(of.step, data, {.epochs = 2});
    return fit_quietly(of.step, data, {.epochs = epochs, .checkpoint = folder.at(name)});
  };
  const History expected = run("whole", 3);
  run("parts", 1);
  check_equal_maps(run("parts", 3).params, expected.params);
}

TEST_CASE("fit refuses moments of parameters that it does not know") {
  const CompiledModel model = compiled_for_fit();
  AdamStep of(model);
  TensorMap params = model.get_parameters(1).copy();
  of.step(params, points(8, 0));
  CHECK(text_of_error([&] { fit_quietly(of.step, points(32, 0), {}); }) ==
        "mithril.StateError[E0914]: fit: the optimizer has made 1 steps with other parameters\n"
        "  help: give the parameters that it has trained as params, or take a new optimizer");
  fit_quietly(of.step, points(32, 0), {.params = &params});
}

TEST_CASE("a loss that is not a number ends training") {
  const CompiledModel model = compiled_for_fit();
  AdamStep of(model);
  fit_quietly(of.step, points(32, 1), {.epochs = 1});
  CHECK(text_of_error(
            [&] { fit_quietly(of.step, with_nan(96, 40), {.epochs = 2, .shuffle = false}); })
            .starts_with("mithril.ValueError[E0419]: fit: the loss is nan in epoch 1, step 2\n"
                         "  help: lower the learning rate"));
  AdamStep other(model);
  CHECK(text_of_error(
            [&] { fit_quietly(other.step, points(32, 0), {.validation = with_nan(96, 70)}); })
            .starts_with("mithril.ValueError[E0419]: fit: the validation loss is nan in epoch 1, "
                         "step 3\n"));
}

TEST_CASE("the best parameters of fit are not NaN") {
  const CompiledModel model = compiled_for_fit();
  const auto batches = [](std::int64_t epoch, std::int64_t i) -> std::optional<TensorMap> {
    if (i > 0) return std::nullopt;
    return epoch == 1 ? with_nan(32, 3) : points(32, static_cast<std::uint64_t>(epoch));
  };
  AdamStep of(model);
  const History history = fit_quietly(of.step, batches, {.epochs = 4, .allow_nan = true});
  CHECK(std::isnan(history.epochs[1].at("loss")));
  CHECK(history.best_epoch == 1);
  CHECK(all_finite(history.best));
  CHECK(!all_finite(history.params));
  // The loss of the epoch is finite; the update after it is not.
  SGD optimizer({.lr = 1e39});
  TrainingStep step(model, optimizer);
  const History spoilt = fit_quietly(step, points(32, 0), {.epochs = 1});
  CHECK(std::isfinite(spoilt.epochs[0].at("loss")));
  CHECK(!all_finite(spoilt.params));
  CHECK(spoilt.best_epoch == 0);
  check_equal_maps(spoilt.best, model.get_parameters());
}

TEST_CASE("fit validates a model with random numbers in inference") {
  const CompiledModel model = with_noise();
  const TensorMap data{{"x", points(64, 0).at("x")}};
  AdamStep of(model), again(model), plain(model);
  const History history = fit_quietly(of.step, data, {.epochs = 3, .validation = data});
  const History other = fit_quietly(again.step, data, {.epochs = 3, .validation = data});
  CHECK(history.epochs.front().at("validation_loss") == other.epochs.front().at("validation_loss"));
  CHECK(history.epochs[0].at("validation_loss") != history.epochs[1].at("validation_loss"));
  fit_quietly(plain.step, data, {.epochs = 3});
  check_equal_maps(plain.step.state(), of.step.state());
}

TEST_CASE("a checkpoint of fit that does not fit is named") {
  const FileFolder folder;
  AdamStep of(compiled_for_fit()), other(with_noise());
  fit_quietly(of.step, points(32, 0), {.checkpoint = folder.at("run")});
  const TensorMap data{{"x", points(32, 0).at("x")}};
  const std::string text =
      folder.error([&] { fit_quietly(other.step, data, {.checkpoint = folder.at("run")}); });
  CHECK(
      text.starts_with("mithril.StateError[E0901]: run/last.safetensors: the state dict does not "
                       "fit the model\n"));
  CHECK(
      text.ends_with("  help: fit continues the run of this file, which it found in the folder "
                     "checkpoint: to begin a new run, choose another folder or remove the file"));
}

TEST_CASE("the best epoch of fit may be that of the largest metric") {
  const CompiledModel model = compiled_for_fit();
  AdamStep of(model);
  const History history = fit_quietly(of.step, points(300, 0),
                                      {.epochs = 6,
                                       .metrics = {{"accuracy", accuracy}},
                                       .validation_split = 0.2,
                                       .monitor = "accuracy",
                                       .mode = Extremum::max});
  for (const EpochNumbers& epoch : history.epochs)
    CHECK(epoch.at("accuracy") <=
          history.epochs[static_cast<size_t>(history.best_epoch - 1)].at("accuracy"));
}

TEST_CASE("the last rows become the validation of fit, and rows may keep their order") {
  const CompiledModel model = compiled_for_fit();
  const TensorMap data = points(50, 0);
  const auto rows = [&](std::int64_t begin, std::int64_t end) {
    return TensorMap{{"x", slice(data.at("x"), 0, begin, end)},
                     {"label", slice(data.at("label"), 0, begin, end)}};
  };
  AdamStep split(model), given(model);
  const History ours =
      fit_quietly(split.step, data, {.epochs = 2, .validation_split = 0.2, .shuffle = false});
  const History theirs = fit_quietly(given.step, rows(0, 40),
                                     {.epochs = 2, .validation = rows(40, 50), .shuffle = false});
  CHECK(losses_of(ours) == losses_of(theirs));
  CHECK(ours.epochs.back().at("validation_loss") == theirs.epochs.back().at("validation_loss"));
}

TEST_CASE("fit weighs samples") {
  Model net;
  net |= Linear({.dimension = 1})({{"input", "x"}, {"output", "y"}});
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}},
                 {.sample_weight = Binding("sample_weight")});
  const CompiledModel model = compile(train, cpu(), {.shapes = {{"x", {any, 4}}}});
  const TensorMap x = points(32, 0);
  const TensorMap data{{"x", x.at("x")}, {"t", slice(x.at("x"), 1, 0, 1)}};
  const Tensor weights = Tensor::full(DType::float32, {32}, 3);
  TensorMap whole = data.share(), even = data.share();
  whole["sample_weight"] = weights;
  even["sample_weight"] = Tensor::full(DType::float32, {32}, 1);
  AdamStep given(model), merged(model);
  const History ours =
      fit_quietly(given.step, data, {.epochs = 2, .sample_weight = weights, .validation = data});
  const History theirs = fit_quietly(merged.step, whole, {.epochs = 2, .validation = even});
  CHECK(losses_of(ours) == losses_of(theirs));
  CHECK(ours.epochs.back().at("validation_loss") == theirs.epochs.back().at("validation_loss"));
  AdamStep other(compiled_for_fit());
  CHECK(
      text_of_error([&] { fit_quietly(other.step, points(32, 0), {.sample_weight = weights}); }) ==
      "mithril.ValueError[E0416]: fit: sample_weight is given, and the model has no input "
      "'sample_weight'\n"
      "  help: give add_loss this name as its sample_weight");
}

}  // namespace mithril
