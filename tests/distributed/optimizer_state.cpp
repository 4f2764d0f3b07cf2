// Processes whose optimizers have other states are refused before they exchange tensors.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril::tests {
namespace {

// A linear regression of 3 numbers to 2, which the processes train together.
CompiledModel compiled_regression(const Communicator& own) {
  Model layers;
  layers |= Linear({.dimension = 2, .use_bias = false})(
      {{"input", "x"}, {"weight", "w"}, {"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return compile(train, cpu(), {.shapes = {{"x", {any, 3}}}, .group = communicator(own.name())});
}

// The errors of a step after process 1 has loaded another tensor `key` of the optimizer's state.
std::vector<std::string> errors_of_other(const std::string& key) {
  return on_each_rank(3, [&](Communicator& own) {
    const CompiledModel compiled = compiled_regression(own);
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.average = EMA{0.9}});
    TensorMap params = compiled.get_parameters();
    const TensorMap rows = {{"x", Tensor::ones({2, 3})}, {"t", Tensor::ones({2, 2})}};
    step(params, rows);
    TensorMap state = optimizer.state_dict();
    if (own.rank() == 1 && !key.empty()) {
      Tensor other = state.at(key).copy();
      if (other.dtype() == DType::int64)
        other.mutable_data<std::int64_t>()[0] += 1;
      else
        other.mutable_data<float>()[0] += 1;
      state[key] = other;
    }
    optimizer.load_state_dict(state);
    step(params, rows);
  });
}

// The errors of two steps with this rate, and this average, on each process; then of one with the
// rate `later`.
std::vector<std::string> errors_with(
    const std::function<std::pair<Schedule, TrainingOptions>(int rank)>& options_of,
    const std::function<Schedule(int rank)>& later) {
  return on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled = compiled_regression(own);
    const auto [schedule, options] = options_of(own.rank());
    SGD optimizer({.lr = schedule});
    TrainingStep step(compiled, optimizer, options);
    TensorMap params = compiled.get_parameters();
    const TensorMap rows = {{"x", Tensor::ones({2, 3})}, {"t", Tensor::ones({2, 2})}};
    step(params, rows);
    step(params, rows);
    optimizer.set_lr(later(own.rank()));
    step(params, rows);
  });
}

void check_differ(const std::vector<std::string>& errors, const std::string& entry) {
  const std::string expected =
      "mithril.DistributedError[E0964]: TrainingStep: the processes of group 'threads' differ in "
      "'" +
      entry + "'\n";
  for (const std::string& error : errors) {
    CAPTURE(error);
    CHECK(error.starts_with(expected));
  }
}

}  // namespace

TEST_CASE("processes whose optimizers have other slots, steps or averages are refused") {
  CHECK(errors_of_other("") == no_errors(3));
  check_differ(errors_of_other("w.exp_avg"), "exp_avg of 'w'");
  check_differ(errors_of_other("w.exp_avg_sq"), "exp_avg_sq of 'w'");
  check_differ(errors_of_other("w.step"), "step of 'w'");
  check_differ(errors_of_other("w.average"), "average of 'w'");
  check_differ(errors_of_other("averaged"), "averaged");
}

TEST_CASE("processes with other schedules of equal first rates, or other averages, are refused") {
  const auto same = [](int) { return Schedule(0.5); };
  const auto options_of = [](const Schedule& schedule, const TrainingOptions& options) {
    return std::pair(schedule, options);
  };
  CHECK(errors_with([&](int) { return options_of(0.1, {.average = EMA{0.5}}); }, same) ==
        no_errors(2));
  check_differ(
      errors_with(
          [&](int rank) { return options_of(StepSchedule{.lr = 0.1, .step_size = 30 + rank}, {}); },
          same),
      "schedule");
  check_differ(
      errors_with([&](int rank) { return options_of(0.1, {.average = EMA{0.5 + 0.1 * rank}}); },
                  same),
      "average");
  check_differ(errors_with(
                   [&](int rank) {
                     return options_of(0.1, {.average = SWA{rank, 1}});
                   },
                   same),
               "average");
  check_differ(errors_with([&](int) { return options_of(0.1, {}); },
                           [](int rank) { return Schedule(0.1 + 0.2 * (rank + 1)); }),
               "schedule");
}

}  // namespace mithril::tests
