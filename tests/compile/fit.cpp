// The training loop `fit`; python/tests/test_fit.py tests that of Python.
#include "mithril/compile/fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/checkpoint.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops.hpp"
#include "mithril/optim/adam.hpp"
#include "mithril/optim/sgd.hpp"
#include "mithril/tensor/functions.hpp"
#include "mithril/train/train_model.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::text_of_error;

CompiledModel compiled_for_fit() {
  Model layers;
  layers |= Linear({.dimension = 16})({{"input", "x"}});
  layers += BatchNorm1D();
  layers += Dropout({.p = 0.2});
  layers += Relu();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy(), {{"input", "scores"}, {"target", "label"}});
  return compile(train, cpu(), {.shapes = {{"x", {any, 4}}}});
}

// Points of four numbers; the class is the largest of the first three.
TensorMap points(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  Tensor x(DType::float32, {count, 4});
  for (float& number : x.mutable_values<float>()) number = static_cast<float>(random.normal());
  return {{"x", x}, {"label", argmax(slice(x, 1, 0, 3), 1)}};
}

double accuracy(const TensorMap& outputs, const TensorMap& batch) {
  const Tensor found = argmax(outputs.at("scores"), 1);
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < found.size(); ++i)
    right += found.values<std::int64_t>()[static_cast<size_t>(i)] ==
             batch.at("label").values<std::int64_t>()[static_cast<size_t>(i)];
  return static_cast<double>(right) / static_cast<double>(found.size());
}

void check_equal_maps(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& item : a) {
    CAPTURE(item.key());
    CHECK(identical(item.tensor(), b.at(item.key())));
  }
}

std::vector<double> losses_of(const History& history) {
  std::vector<double> losses;
  for (const EpochNumbers& numbers : history.epochs) losses.push_back(numbers.at("loss"));
  return losses;
}

}  // namespace

TEST_CASE("fit trains a model and keeps the best epoch") {
  const CompiledModel model = compiled_for_fit();
  AdamW optimizer({.lr = 0.02});
  TrainingStep step(model, optimizer, {.max_norm = 1.0, .average = EMA{0.9}});
  const TensorMap held_out = points(101, 1);
  const History history = fit(
      step, points(300, 0),
      {.epochs = 6, .validation = held_out, .metrics = {{"accuracy", accuracy}}, .averages = true});
  REQUIRE(history.epochs.size() == 6);
  std::set<std::string> names;
  for (const auto& [name, number] : history.epochs.back()) names.insert(name);
  CHECK(names ==
        std::set<std::string>{"accuracy", "loss", "lr", "samples_per_second", "validation_loss"});
  CHECK(history.epochs.back().at("accuracy") > 0.85);
  CHECK(history.epochs.front().at("accuracy") < history.epochs.back().at("accuracy"));
  CHECK(history.epochs.back().at("lr") == 0.02);
  const EpochNumbers& best = history.epochs[static_cast<size_t>(history.best_epoch)];
  for (const EpochNumbers& numbers : history.epochs)
    CHECK(numbers.at("validation_loss") >= best.at("validation_loss"));
  // The best parameters and state are those that were validated: here in one batch.
  const TensorMap outputs = model.infer(history.best, held_out, history.best_state);
  CHECK(outputs.at("final_cost").item() == doctest::Approx(best.at("validation_loss")));
}

TEST_CASE("the batches of an epoch are all rows once, in a new order") {
  CompiledModel model = compiled_for_fit();
  std::vector<Tensor> seen;
  model.register_hook("x", [&](const Tensor& x) { seen.push_back(x.copy()); });
  SGD optimizer({.lr = 0.01});
  TrainingStep step(model, optimizer);
  const TensorMap data = points(70, 0);
  fit(step, data, {.epochs = 2, .batch_size = 32});
  REQUIRE(seen.size() == 6);
  std::vector<std::vector<float>> epochs(2);
  for (size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].dims() == Dims{i % 3 == 2 ? 6 : 32, 4});
    const auto values = seen[i].values<float>();
    epochs[i / 3].insert(epochs[i / 3].end(), values.begin(), values.end());
  }
  CHECK(epochs[0] != epochs[1]);
  const auto all = data.at("x").values<float>();
  const auto sorted_rows = [](std::span<const float> values) {
    std::multiset<std::vector<float>> rows;
    for (size_t i = 0; i < values.size(); i += 4)
      rows.emplace(values.begin() + static_cast<std::ptrdiff_t>(i),
                   values.begin() + static_cast<std::ptrdiff_t>(i + 4));
    return rows;
  };
  for (const std::vector<float>& epoch : epochs) {
    CHECK(!std::equal(epoch.begin(), epoch.end(), all.begin()));
    CHECK(sorted_rows(epoch) == sorted_rows(all));
  }
}

TEST_CASE("fit is the loop written by hand") {
  const CompiledModel model = compiled_for_fit();
  TensorMap expected = model.get_parameters(), params = model.get_parameters(5);
  Adam by_hand({.lr = 0.01}), optimizer({.lr = 0.01});
  TrainingStep expected_step(model, by_hand), step(model, optimizer);
  std::vector<double> losses;
  for (int epoch = 0; epoch < 3; ++epoch) {
    double total = 0;
    for (std::uint64_t i = 0; i < 4; ++i)
      total += 32 * expected_step(expected, points(32, i)).at("final_cost").item();
    losses.push_back(total / 128);
  }
  const auto batches = [](std::int64_t, std::int64_t i) -> std::optional<TensorMap> {
    if (i == 4) return std::nullopt;
    return points(32, static_cast<std::uint64_t>(i));
  };
  const History history = fit(step, batches, {.epochs = 3});
  CHECK(losses_of(history) == losses);
  check_equal_maps(expected, history.params);
  check_equal_maps(expected_step.state(), step.state());
  // Parameters of one's own are updated in place.
  const Tensor weight = params.at("linear.weight"), before = weight.copy();
  const History other = fit(step, batches, {.epochs = 1, .params = &params});
  CHECK(weight.raw_data() == other.params.at("linear.weight").raw_data());
  CHECK(!identical(weight, before));
}

TEST_CASE("fit ends without a new minimum, and when a callback says so") {
  Model layers;
  layers |= Linear({.dimension = 3})({{"input", "x"}, {"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy(), {{"input", "scores"}, {"target", "label"}});
  const CompiledModel model = compile(train, cpu(), {.shapes = {{"x", {any, 4}}}});
  SGD optimizer({.lr = 0});
  TrainingStep step(model, optimizer);
  const History history =
      fit(step, points(32, 0), {.epochs = 50, .validation = points(8, 1), .patience = 3});
  CHECK(history.best_epoch == 0);
  CHECK(history.epochs.size() == 4);
  int called = 0;
  const History ended = fit(step, points(32, 0),
                            {.epochs = 9,
                             .callbacks = {[](const History& h) { return h.epochs.size() == 3; },
                                           [&](const History&) { return ++called > 100; }}});
  CHECK(ended.epochs.size() == 3);
  CHECK(called == 3);
}

TEST_CASE("a loss that is not a number is never the best after one that is") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.01});
  TrainingStep step(model, optimizer);
  const auto not_numbers_but = [](std::int64_t good) {
    return [good](std::int64_t epoch, std::int64_t index) -> std::optional<TensorMap> {
      if (index == 1) return std::nullopt;
      TensorMap batch = points(8, 0);
      if (epoch != good) batch.at("x") = Tensor::full(DType::float32, {8, 4}, std::nan(""));
      return batch;
    };
  };
  for (const std::int64_t good : {0, 1, 2}) {
    const History history =
        fit(step, points(32, 0), {.epochs = 3, .validation = not_numbers_but(good)});
    CHECK(std::isnan(history.epochs[good == 0 ? 1 : 0].at("validation_loss")));
    CHECK(history.best_epoch == good);
  }
}

TEST_CASE("a run of fit continues with the same bits") {
  const FileFolder folder;
  const CompiledModel model = compiled_for_fit();
  const TensorMap data = points(100, 0), held_out = points(30, 1);
  struct Run {
    AdamW optimizer{{.lr = CosineSchedule{.lr = 0.02, .steps = 60, .warmup = 5}}};
    TrainingStep step;
    explicit Run(const CompiledModel& compiled)
        : step(compiled, optimizer, {.accumulate = 3, .average = EMA{0.9}}) {}
  };
  const auto run = [&](Run& of, const char* name, size_t epochs) {
    return fit(of.step, data,
               {.epochs = 5,
                .validation = held_out,
                .callbacks = {[&](const History& h) { return h.epochs.size() == epochs; }},
                .checkpoint = folder.at(name)});
  };
  Run whole(model), interrupted(model), continued(model);
  const History expected = run(whole, "whole", 5);
  CHECK(run(interrupted, "parts", 2).epochs.size() == 2);
  const History history = run(continued, "parts", 5);
  CHECK(losses_of(history) == losses_of(expected));
  CHECK(history.best_epoch == expected.best_epoch);
  check_equal_maps(history.params, expected.params);
  check_equal_maps(history.best, expected.best);
  check_equal_maps(history.best_state, expected.best_state);
  check_equal_maps(continued.step.state(), whole.step.state());
  check_equal_maps(continued.optimizer.state_dict(), whole.optimizer.state_dict());
  const Checkpoint best = load(folder.at("parts/best.safetensors"));
  check_equal_maps(best.params, expected.best);
  check_equal_maps(best.state, expected.best_state);
  // A run that is over does nothing but load.
  Run again(model);
  TensorMap params = model.get_parameters();
  const History loaded = fit(
      again.step, data,
      {.epochs = 5, .params = &params, .validation = held_out, .checkpoint = folder.at("parts")});
  CHECK(loaded.epochs == history.epochs);
  check_equal_maps(params, expected.params);
}

TEST_CASE("the progress of fit is a line for each epoch") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.25});
  TrainingStep step(model, optimizer);
  std::ostringstream stream;
  fit(step, points(32, 0),
      {.epochs = 2, .validation = points(8, 1), .tokens = "x", .progress = &stream});
  const std::string text = stream.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.starts_with("epoch 1/2: loss "));
  for (const char* part : {", lr 0.25, tokens_per_second ", ", validation_loss ", "\nepoch 2/2: "})
    CHECK(text.find(part) != std::string::npos);
  CHECK(text.ends_with(", 0 s left\n"));
}

TEST_CASE("fit refuses data and options that cannot be meant") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.1});
  TrainingStep step(model, optimizer);
  const TensorMap data = points(32, 0);
  const auto error = [&](const BatchSource& source, const FitOptions& options) {
    return text_of_error([&] { fit(step, source, options); });
  };
  CHECK(error({{"x", data.at("x")}, {"label", points(5, 0).at("label")}}, {}) ==
        "mithril.InputError[E0840]: fit: the arrays of 'data' differ in length\n"
        "  x     : 32\n"
        "  label : 5");
  CHECK(error(data, {.validation = TensorMap{{"x", Tensor::scalar(1.0f)}}}) ==
        "mithril.InputError[E0840]: fit: the arrays of 'validation' differ in length\n"
        "  x : scalar");
  const auto once = [](std::int64_t epoch, std::int64_t i) -> std::optional<TensorMap> {
    if (epoch > 0 || i > 0) return std::nullopt;
    return points(8, 0);
  };
  CHECK(error(once, {.epochs = 2}) ==
        "mithril.InputError[E0841]: fit: there are no batches in epoch 2\n"
        "  help: a function returns batches from index 0 on in each epoch");
  CHECK(error(data, {.validation = points(0, 0)}).starts_with("mithril.InputError[E0841]"));
  CHECK(error(data, {.metrics = {{"accuracy", accuracy}}}) ==
        "mithril.InputError[E0843]: fit: metrics are measured in validation, and there is none\n"
        "  help: set .validation");
  CHECK(error(data, {.epochs = -1}) ==
        "mithril.ValueError[E0416]: fit: epochs is -1, expected at least 0");
  CHECK(error(data, {.batch_size = 0}) ==
        "mithril.ValueError[E0416]: fit: batch_size is 0, expected at least 1");
  CHECK(error(data, {.patience = 0}) ==
        "mithril.ValueError[E0416]: fit: patience is 0, expected at least 1");
  CHECK(error(data, {.loss = "final_const"})
            .starts_with("mithril.NameError[E0606]: there is no output 'final_const'"));
  CHECK(error(data, {.tokens = "y"}).starts_with("mithril.NameError[E0606]: there is no input"));
  CHECK(error(data, {.averages = true}).starts_with("mithril.StateError[E0911]"));
  TensorMap params = {{"w", Tensor::scalar(1.0f)}};
  CHECK(error(data, {.params = &params}).starts_with("mithril.StateError[E0901]"));
  FileFolder folder;
  CHECK(folder.error([&] { fit(step, data, {.checkpoint = folder.write("file", "") + "/run"}); })
            .starts_with("mithril.InputError[E0831]"));
}

}  // namespace mithril
