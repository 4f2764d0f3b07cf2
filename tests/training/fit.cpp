// The training loop `fit`; python/tests/training/test_fit.py tests that of Python.
#include "mithril/training/fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "mithril/metrics/classification.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/checkpoint.hpp"
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

}  // namespace

TEST_CASE("fit trains a model and keeps the best epoch") {
  const CompiledModel model = compiled_for_fit();
  AdamW optimizer({.lr = 0.02});
  TrainingStep step(model, optimizer, {.max_norm = 1.0, .average = EMA{0.9}});
  const TensorMap held_out = points(101, 1);
  const History history = fit_quietly(
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
  const EpochNumbers& best = history.epochs[static_cast<size_t>(history.best_epoch - 1)];
  for (const EpochNumbers& numbers : history.epochs)
    CHECK(numbers.at("validation_loss") >= best.at("validation_loss"));
  // The best parameters and state are those that were validated: here in one batch.
  const TensorMap outputs =
      model.infer(history.best, held_out, history.best_state, {.outputs = {"final_cost"}});
  CHECK(outputs.at("final_cost").item() == doctest::Approx(best.at("validation_loss")));
}

TEST_CASE("evaluators measure the validation of an epoch as a whole") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.1});
  TrainingStep step(model, optimizer);
  const TensorMap held_out = points(101, 1);
  const metrics::EvaluatedKeys keys = {.prediction = "scores", .target = "label"};
  metrics::Accuracy share(keys);
  metrics::F1Score f1(metrics::F1Score::Average::macro, keys);
  const History history = fit_quietly(step, points(96, 0),
                                      {.epochs = 2,
                                       .validation = held_out,
                                       .metrics = {{"accuracy", accuracy}},
                                       .evaluators = {{"share", &share}, {"f1", &f1}}});
  for (const EpochNumbers& numbers : history.epochs)
    CHECK(numbers.at("share") == doctest::Approx(numbers.at("accuracy")));
  const TensorMap outputs = model.infer(history.params, held_out, step.state());
  metrics::F1Score whole(metrics::F1Score::Average::macro, keys);
  whole.update({{"scores", outputs.at("scores")}, {"label", held_out.at("label")}});
  CHECK(history.epochs.back().at("f1") == whole.compute());
  CHECK(text_of_error([&] {
          fit_quietly(step, points(96, 0),
                      {.validation = held_out, .evaluators = {{"share", nullptr}}});
        }) == "mithril.ValueError[E0416]: fit: the evaluator 'share' is null");
  CHECK(text_of_error([&] {
          fit_quietly(step, points(96, 0), {.evaluators = {{"share", &share}}});
        }).starts_with("mithril.InputError[E0843]"));
}

TEST_CASE("the batches of an epoch are all rows once, in a new order") {
  CompiledModel model = compiled_for_fit();
  std::vector<Tensor> seen;
  model.register_hook("x", [&](const Tensor& x) { seen.push_back(x.copy()); });
  SGD optimizer({.lr = 0.01});
  TrainingStep step(model, optimizer);
  const TensorMap data = points(70, 0);
  fit_quietly(step, data, {.epochs = 2, .batch_size = 32});
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
  const History history = fit_quietly(step, batches, {.epochs = 3});
  CHECK(losses_of(history) == losses);
  check_equal_maps(expected, history.params);
  check_equal_maps(expected_step.state(), step.state());
  // Parameters of one's own are updated in place.
  const Tensor weight = params.at("linear.weight"), before = weight.copy();
  const History other = fit_quietly(step, batches, {.epochs = 1, .params = &params});
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
      fit_quietly(step, points(32, 0), {.epochs = 50, .validation = points(8, 1), .patience = 3});
  CHECK(history.best_epoch == 1);
  CHECK(history.epochs.size() == 4);
  int called = 0;
  const History ended =
      fit_quietly(step, points(32, 0),
                  {.epochs = 9,
                   .callbacks = {[](const History& h) { return h.epochs.size() == 3; },
                                 [&](const History&) { return ++called > 100; }}});
  CHECK(ended.epochs.size() == 3);
  CHECK(called == 3);
}

TEST_CASE("a NaN loss is never better than a finite loss") {
  const CompiledModel model = compiled_for_fit();
  const auto not_numbers_but = [](std::int64_t good) {
    return [good](std::int64_t epoch, std::int64_t index) -> std::optional<TensorMap> {
      if (index == 1) return std::nullopt;
      TensorMap batch = points(8, 0);
      if (epoch != good) batch.at("x") = Tensor::full(DType::float32, {8, 4}, std::nan(""));
      return batch;
    };
  };
  for (const std::int64_t good : {0, 1, 2}) {
    SGD optimizer({.lr = 0.01});
    TrainingStep step(model, optimizer);
    const History history = fit_quietly(
        step, points(32, 0), {.epochs = 3, .validation = not_numbers_but(good), .allow_nan = true});
    CHECK(std::isnan(history.epochs[good == 0 ? 1 : 0].at("validation_loss")));
    CHECK(history.best_epoch == good + 1);
  }
}

TEST_CASE("rows are shuffled in the order of python/tests/training/test_fit.py") {
  CHECK(shuffled_rows(8, 3, 2) == std::vector<std::int64_t>{1, 6, 3, 5, 2, 0, 7, 4});
  CHECK(shuffled_rows(0, 3, 2).empty());
}

TEST_CASE("the progress of fit is a bar, and a line for each epoch") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.25});
  TrainingStep step(model, optimizer);
  std::ostringstream stream;
  fit(step, points(64, 0),
      {.epochs = 2, .validation = points(8, 1), .tokens = "x", .progress = &stream});
  std::vector<std::string> lines;  // what a terminal shows, one after the other
  for (const char c : "\r" + stream.str()) {
    if (c == '\r') lines.emplace_back();
    if (c != '\r') lines.back() += c;
  }
  std::erase_if(lines, [](const std::string& line) {
    return line.find_first_not_of(' ') == std::string::npos;
  });
  REQUIRE(lines.size() >= 4);  // a bar and a line for each epoch, and more bars if it is slow
  const std::string &bar = lines.front(), &line = lines.back();
  CHECK(bar.starts_with("epoch 1/2:  50% [==========          ] loss "));
  for (const char* part : {", lr 0.25, ", " tokens/s, ", " s left"})
    CHECK(bar.find(part) != std::string::npos);
  CHECK(line.starts_with("epoch 2/2: loss "));
  for (const char* part : {", lr 0.25, tokens_per_second ", ", validation_loss "})
    CHECK(line.find(part) != std::string::npos);
  CHECK(line.ends_with(", 0 s left\n"));
  // The number of batches of a function is unknown.
  std::ostringstream other;
  const auto once = [](std::int64_t, std::int64_t i) -> std::optional<TensorMap> {
    if (i > 0) return std::nullopt;
    return points(8, 0);
  };
  fit(step, once, {.epochs = 1, .progress = &other});
  CHECK(other.str().starts_with("\repoch 1/1: loss "));
  CHECK(other.str().find(" samples/s") != std::string::npos);
}

TEST_CASE("fit refuses inconsistent data and options") {
  const CompiledModel model = compiled_for_fit();
  SGD optimizer({.lr = 0.1});
  TrainingStep step(model, optimizer);
  const TensorMap data = points(32, 0);
  const auto error = [&](const BatchSource& source, FitOptions options) {
    return text_of_error([&] { fit_quietly(step, source, std::move(options)); });
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
  CHECK(error(data, {.validation = points(0, 0)})
            .starts_with("mithril.InputError[E0841]: fit: there are no batches of validation in "));
  CHECK(
      error(data, {.validation = points(8, 0), .metrics = {{"loss", accuracy}}}) ==
      "mithril.ValueError[E0416]: fit: a metric is 'loss', expected a name that fit does not use");
  CHECK(error(data, {.metrics = {{"accuracy", accuracy}}}) ==
        "mithril.InputError[E0843]: fit: metrics are measured in validation, and there is none\n"
        "  help: set .validation or .validation_split");
  CHECK(error(data, {.epochs = -1}) ==
        "mithril.ValueError[E0416]: fit: epochs is -1, expected at least 0");
  CHECK(error(data, {.batch_size = 0}) ==
        "mithril.ValueError[E0416]: fit: batch_size is 0, expected at least 1");
  CHECK(error(data, {.patience = 0}) ==
        "mithril.ValueError[E0416]: fit: patience is 0, expected at least 1");
  CHECK(error(data, {.validation_split = 1.5}) ==
        "mithril.ValueError[E0416]: fit: validation_split is 1.5, expected at least 0 and below 1");
  CHECK(error(data, {.validation_split = 0.001}) ==
        "mithril.ValueError[E0416]: fit: validation_split is 0.001, which leaves one part of 32 "
        "rows empty");
  CHECK(error(data, {.validation = points(8, 0), .validation_split = 0.5}) ==
        "mithril.ValueError[E0416]: fit: validation_split is 0.5, and there is validation, too");
  CHECK(error(data, {.monitor = "validation_loss"})
            .starts_with("mithril.NameError[E0606]: there is no number to monitor"));
  CHECK(error(data, {.loss = "final_const"})
            .starts_with("mithril.NameError[E0606]: there is no output 'final_const'"));
  CHECK(error(data, {.tokens = "y"}).starts_with("mithril.NameError[E0606]: there is no input"));
  CHECK(error(data, {.averages = true}).starts_with("mithril.StateError[E0911]"));
  TensorMap params = {{"w", Tensor::scalar(1.0f)}};
  CHECK(error(data, {.params = &params}).starts_with("mithril.StateError[E0901]"));
  FileFolder folder;
  CHECK(folder
            .error(
                [&] { fit_quietly(step, data, {.checkpoint = folder.write("file", "") + "/run"}); })
            .starts_with("mithril.InputError[E0831]: file/run: the folder cannot be made\n"));
  const std::string zero = folder.at("run") + std::string("\0b", 2);  // not the folder "run"
  CHECK(folder.error([&] { fit_quietly(step, data, {.checkpoint = zero}); })
            .find("the folder cannot be made\n  why : Invalid argument") != std::string::npos);
  const auto error_of_file = [&](const FileMetadata& metadata) {
    std::filesystem::create_directory(folder.at("run"));
    save(folder.at("run/last.safetensors"), model.get_parameters(), {.metadata = metadata});
    return folder.error([&] { fit_quietly(step, data, {.checkpoint = folder.at("run")}); });
  };
  CHECK(error_of_file({}) ==
        "mithril.InputError[E0844]: fit: 'run/last.safetensors' is not a checkpoint of fit\n"
        "  help: choose another folder for checkpoint");
  CHECK(error_of_file({{"fit", "{"}}).starts_with("mithril.ParseError[E0720]"));
  CHECK(error_of_file({{"fit", R"({"epochs": []})"}}).starts_with("mithril.ParseError[E0727]"));
  CHECK(error_of_file({{"fit", R"({"epochs": [], "best_epoch": 0})"}}) ==
        "mithril.ParseError[E0726]: /best_epoch: this does not fit here\n"
        "  expected : the number of an epoch\n"
        "  got      : 0");
}

}  // namespace mithril
