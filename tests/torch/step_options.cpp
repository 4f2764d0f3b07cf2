// Schedules and parameter groups of training steps on the backend on PyTorch.
#include <doctest/doctest.h>

#include <vector>

#include "backends/torch/torch.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/fit.hpp"
#include "tests/skip.hpp"
#include "tests/training/classifier.hpp"
#include "tests/training/fit_model.hpp"

namespace mithril {
namespace {

const std::vector<Schedule> every_schedule{
    0.05,
    ConstantSchedule{.lr = 0.05, .warmup = 3},
    CosineSchedule{.lr = 0.05, .steps = 8, .warmup = 2, .warmup_start = 0.5, .end = 0.001},
    LinearSchedule{.lr = 0.05, .steps = 6, .warmup = 2, .end = 0.01},
    StepSchedule{.lr = 0.05, .step_size = 2, .gamma = 0.5},
    OneCycleSchedule{.lr = 0.05, .steps = 8}};

const std::vector<ParameterGroup> three_groups{{.pattern = "table", .frozen = true},
                                               {.pattern = "*bias*", .weight_decay = 0},
                                               {.pattern = "layernorm*", .lr_factor = 0.25}};

CompiledModel classifier_on(std::shared_ptr<Backend> backend) {
  return compile(
      tests::classifier(), std::move(backend),
      {.shapes = {{"words", {any}}, {"classes", {any}}}, .data_keys = {"words", "classes"}});
}

// Words from the first rows of the table.
TensorMap words_and_classes(std::int64_t first) {
  TensorMap data = tests::batch(12, first);
  for (std::int64_t& word : data["words"].mutable_values<std::int64_t>()) word = (word + 40) % 40;
  return data;
}

void check_close(const TensorMap& got, const TensorMap& expected) {
  for (const auto& item : expected) {
    CAPTURE(item.key());
    const Tensor other = got.at(item.key()).host();
    REQUIRE(other.size() == item.tensor().size());
    for (std::int64_t i = 0; i < other.size(); ++i)
      CHECK(other.at_as_double(i) == doctest::Approx(item.tensor().at_as_double(i)).epsilon(1e-9));
  }
}

// Eight steps on both backends, with the same rates and parameters; returns the parameters.
template <typename Optimizer, typename Options>
TensorMap eight_steps(const Options& options) {
  const CompiledModel here = classifier_on(cpu({.dtype = DType::float64}));
  const CompiledModel there = classifier_on(torch({.dtype = DType::float64}));
  TensorMap expected = here.get_parameters(), params = there.load_state_dict(expected).copy();
  Optimizer expected_optimizer(options), optimizer(options);
  TrainingStep expected_step(here, expected_optimizer, {.max_norm = 1.0});
  TrainingStep step(there, optimizer, {.max_norm = 1.0});
  for (std::int64_t i = 0; i < 8; ++i) {
    CHECK(optimizer.lr() == doctest::Approx(options.lr.at(i)).epsilon(1e-12));
    expected_step(expected, words_and_classes(i));
    step(params, words_and_classes(i));
  }
  check_close(params, expected);
  return expected;
}

}  // namespace

TEST_CASE("steps on the backend on PyTorch follow every schedule") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  for (size_t i = 0; i < every_schedule.size(); ++i) {
    CAPTURE(i);
    eight_steps<SGD>(SGDOptions{.lr = every_schedule[i]});
    eight_steps<AdamW>(AdamWOptions{.lr = every_schedule[i]});
  }
}

TEST_CASE("steps on the backend on PyTorch treat parameter groups as those on the CPU") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const Schedule lr = every_schedule[2];
  const TensorMap grouped =
      eight_steps<AdamW>(AdamWOptions{.lr = lr, .weight_decay = 0.3, .groups = three_groups});
  const TensorMap alike = eight_steps<AdamW>(AdamWOptions{.lr = lr, .weight_decay = 0.3});
  const TensorMap begin = classifier_on(cpu({.dtype = DType::float64})).get_parameters();
  CHECK(identical(grouped.at("table"), begin.at("table")));
  for (const auto& item : alike) {
    CAPTURE(item.key());
    CHECK_FALSE(identical(item.tensor(), grouped.at(item.key())));
  }
}

TEST_CASE("fit on the backend on PyTorch follows a schedule and parameter groups") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const Schedule lr = CosineSchedule{.lr = 0.02, .steps = 12, .warmup = 3};
  const auto run = [&](std::shared_ptr<Backend> backend) {
    const CompiledModel model = tests::compiled_for_fit(std::move(backend));
    AdamW optimizer({.lr = lr, .groups = {{.pattern = "*bias*", .frozen = true}}});
    TrainingStep step(model, optimizer);
    const TensorMap begin = model.get_parameters();
    History history = tests::fit_quietly(step, tests::points(128, 0), {.epochs = 3});
    for (const auto& item : begin) {
      CAPTURE(item.key());
      const bool is_frozen = item.key().find("bias") != std::string::npos;
      CHECK(identical(history.params.at(item.key()).host(), item.tensor().host()) == is_frozen);
    }
    return history;
  };
  const History expected = run(cpu()), history = run(torch());
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    const double last = lr.at(4 * static_cast<std::int64_t>(epoch) + 3);
    CHECK(history.epochs[epoch].at("lr") == doctest::Approx(last).epsilon(1e-12));
    CHECK(history.epochs[epoch].at("loss") ==
          doctest::Approx(expected.epochs[epoch].at("loss")).epsilon(1e-4));
  }
}

}  // namespace mithril
