// Options of training steps, and schedules of their learning rates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mithril/compile/training_step.hpp"
#include "mithril/optim/adam.hpp"
#include "mithril/optim/sgd.hpp"
#include "tests/compile/classifier.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::batch;
using tests::check_identical;
using tests::compiled_classifier;
using tests::text_of_error;

}  // namespace

TEST_CASE("clipping makes the norm of all gradients together the largest allowed") {
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    CAPTURE(mithril::name(dtype));
    const CompiledModel model = compiled_classifier({.dtype = dtype});
    TensorMap params = model.get_parameters();
    const TensorMap before = params.copy();
    SGD optimizer({.lr = 1});
    TrainingStep step(model, optimizer, {.max_norm = 0.125, .max_value = 10.0});
    step(params, batch(30));
    double squares = 0;
    for (const auto& [key, tensor] : params) {
      for (int64_t i = 0; i < tensor.size(); ++i) {
        squares += std::pow(tensor.at_as_double(i) - before.at(key).at_as_double(i), 2);
      }
    }
    const double tolerance = dtype == DType::bfloat16 ? 0.05 : 1e-4;  // parameters are rounded
    CHECK(std::sqrt(squares) == doctest::Approx(0.125).epsilon(tolerance));
  }
}

TEST_CASE("a limit of a gradient's elements holds for each of them") {
  const CompiledModel model = compiled_classifier({.dtype = DType::float64});
  TensorMap params = model.get_parameters();
  const TensorMap before = params.copy();
  const TensorMap gradients = model.evaluate(params, batch(30), of_cost).second;
  SGD optimizer({.lr = 1});
  TrainingStep step(model, optimizer, {.max_value = 0.0078125});
  step(params, batch(30));
  int limited = 0;
  for (const auto& [key, gradient] : gradients) {
    for (int64_t i = 0; i < gradient.size(); ++i) {
      const double given = gradient.at_as_double(i);
      limited += std::abs(given) > 0.0078125;
      CHECK(before.at(key).at_as_double(i) - params.at(key).at_as_double(i) ==
            doctest::Approx(std::clamp(given, -0.0078125, 0.0078125)).epsilon(1e-9));
    }
  }
  CHECK(limited > 0);
}

TEST_CASE("a schedule is followed by steps as by the optimizer") {
  const CompiledModel model = compiled_classifier();
  TensorMap apart = model.get_parameters(), params = apart.copy();
  const CosineSchedule schedule{.lr = 0.1, .steps = 6, .warmup = 2, .warmup_start = 0.5};
  AdamW expected({.lr = schedule}), optimizer({.lr = schedule});
  TrainingStep step(model, optimizer);
  for (const double rate : {0.05, 0.075, 0.1}) {
    CHECK(optimizer.lr() == doctest::Approx(rate).epsilon(1e-12));
    expected.step(apart, model.evaluate(apart, batch(9), of_cost).second);
    step(params, batch(9));
  }
  check_identical(apart, params);
  CHECK(optimizer.steps() == 3);
}

TEST_CASE("an option of a step out of its range is refused") {
  const CompiledModel model = compiled_classifier();
  SGD optimizer;
  CHECK(text_of_error([&] { TrainingStep(model, optimizer, {.max_norm = 0.0}); }) ==
        "mithril.ValueError[E0406]: training step: max_norm is 0, expected above 0");
  CHECK(text_of_error([&] { TrainingStep(model, optimizer, {.max_value = -1.0}); }) ==
        "mithril.ValueError[E0406]: training step: max_value is -1, expected above 0");
}

}  // namespace mithril
