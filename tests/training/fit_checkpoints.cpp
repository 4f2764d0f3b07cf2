// The checkpoints of `fit`; python/tests/training/test_fit_checkpoints.py tests those of Python.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "mithril/optim/optimizers.hpp"
#include "mithril/training/checkpoint.hpp"
#include "mithril/training/fit.hpp"
#include "tests/serialization/files.hpp"
#include "tests/training/fit_model.hpp"

namespace mithril {
namespace {

using tests::check_equal_maps;
using tests::compiled_for_fit;
using tests::FileFolder;
using tests::fit_quietly;
using tests::losses_of;
using tests::points;

}  // namespace

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
    return fit_quietly(of.step, data,
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
  const History loaded = fit_quietly(
      again.step, data,
      {.epochs = 5, .params = &params, .validation = held_out, .checkpoint = folder.at("parts")});
  CHECK(loaded.epochs == history.epochs);
  check_equal_maps(params, expected.params);
}

TEST_CASE("an interruption between the two files of a checkpoint loses no data") {
  const FileFolder folder;
  const CompiledModel model = compiled_for_fit();
  const auto run = [&](const char* name, std::int64_t epochs) {
    AdamW optimizer({.lr = 0.02});
    TrainingStep step(model, optimizer, {.average = EMA{0.9}});
    return fit_quietly(step, points(64, 0),
                       {.epochs = epochs, .averages = true, .checkpoint = folder.at(name)});
  };
  run("parts", 1);
  const std::filesystem::path best = folder.at("parts/best.safetensors");
  const TensorMap written = load(best.string()).params.copy();
  REQUIRE(std::filesystem::remove(best));
  const History history = run("parts", 1);
  check_equal_maps(history.best, written);
  check_equal_maps(load(best.string()).params, written);
  check_equal_maps(run("parts", 3).best, run("whole", 3).best);
}

TEST_CASE("last.safetensors is a checkpoint that load reads") {
  const FileFolder folder;
  const CompiledModel model = compiled_for_fit();
  AdamW optimizer({.lr = 0.02});
  TrainingStep step(model, optimizer);
  const History history =
      fit_quietly(step, points(64, 0), {.epochs = 2, .checkpoint = folder.at("run")});
  const Checkpoint saved = load(folder.at("run/last.safetensors"));
  check_equal_maps(saved.params, history.params);
  check_equal_maps(saved.optimizer, optimizer.state_dict());
  check_equal_maps(saved.state, step.state());
}

TEST_CASE("numbers that are not finite survive a checkpoint of fit") {
  const FileFolder folder;
  const CompiledModel model = compiled_for_fit();
  const auto run = [&](std::int64_t epochs) {
    SGD optimizer({.lr = 0.01});
    TrainingStep step(model, optimizer);
    int called = 0;
    const std::vector<double> numbers = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.1};
    return fit_quietly(step, points(8, 0),
                       {.epochs = epochs,
                        .validation = points(8, 1),
                        .metrics = {{"metric",
                                     [&](const TensorMap&, const TensorMap&) {
                                       return numbers[static_cast<size_t>(called++)];
                                     }}},
                        .checkpoint = folder.at("run")});
  };
  run(4);
  const History history = run(4);
  REQUIRE(history.epochs.size() == 4);
  CHECK(std::isnan(history.epochs[0].at("metric")));
  CHECK(history.epochs[1].at("metric") == HUGE_VAL);
  CHECK(history.epochs[2].at("metric") == -HUGE_VAL);
  CHECK(history.epochs[3].at("metric") == 0.1);
}

}  // namespace mithril
