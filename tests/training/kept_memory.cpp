// Sums of gradients and averages, which an optimizer keeps for training steps.
#include <doctest/doctest.h>

#include <string>

#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/training/classifier.hpp"

namespace mithril {

using tests::batch;
using tests::check_identical;
using tests::compiled_classifier;
using tests::text_of_error;

TEST_CASE("a step of the optimizer itself does not drop sums of gradients") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  SGD optimizer({.momentum = 0.5});
  TrainingStep step(model, optimizer, {.accumulate = 4});
  for (int i = 0; i < 2; ++i) step(params, batch(9));
  const TensorMap before = params.copy(), kept = optimizer.state_dict();
  const TensorMap gradients = model.evaluate(params, batch(9), of_cost).second;
  CHECK(text_of_error([&] { optimizer.step(params, gradients); }) ==
        "mithril.StateError[E0926]: step of an optimizer would drop the sums of gradients that it "
        "holds\n"
        "  gradients in each sum : 2\n"
        "  help: call the training step that accumulates them until it updates; to drop them, load "
        "the state_dict without 'micro_steps'");
  check_identical(before, params);
  check_identical(kept, optimizer.state_dict());
  for (int i = 0; i < 2; ++i) step(params, batch(9));
  optimizer.step(params, gradients);
  CHECK(optimizer.steps() == 2);
}

TEST_CASE("sums without their number are dropped, and the next ones begin with zeros") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters(), expected = params.copy();
  SGD optimizer, fresh;
  TrainingStep step(model, optimizer, {.accumulate = 3}),
      from_start(model, fresh, {.accumulate = 3});
  step(params, batch(9, 1));
  TensorMap state = optimizer.state_dict();
  state.erase("micro_steps");
  optimizer.load_state_dict(state);
  optimizer.step(params, {});
  fresh.step(expected, {});
  for (int i = 0; i < 3; ++i) {
    step(params, batch(9));
    from_start(expected, batch(9));
  }
  check_identical(expected, params);
}

TEST_CASE("a parameter joins an accumulation only at its begin") {
  const CompiledModel model = compiled_classifier(),
                      frozen = compiled_classifier({}, {.frozen = {"table"}});
  TensorMap params = model.get_parameters(), expected;
  SGD optimizer, fresh;
  TrainingStep part(frozen, optimizer, {.accumulate = 2}),
      whole(model, optimizer, {.accumulate = 2});
  part(params, batch(9));
  const TensorMap before = params.copy();
  CHECK(text_of_error([&] { whole(params, batch(9)); }) ==
        "mithril.StateError[E0915]: table: the optimizer has sums of gradients of a step that did "
        "not train 'table'\n"
        "  gradients in each sum : 1\n"
        "  help: call the step that the sums come from until it updates, or load the state_dict of "
        "the optimizer without 'micro_steps'");
  check_identical(before, params);
  // A later update does not use the sum of a parameter that was frozen in the one before.
  TensorMap state = optimizer.state_dict();
  state.erase("micro_steps");
  optimizer.load_state_dict(state);
  whole(params, batch(30));
  part(params, batch(9));
  expected = params.copy();
  TrainingStep other(model, fresh, {.accumulate = 2});
  for (int i = 0; i < 2; ++i) {
    whole(params, batch(9, i));
    other(expected, batch(9, i));
  }
  check_identical(expected, params);
}

TEST_CASE("an update without averages does not leave out those that the optimizer holds") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  Adam optimizer, other;
  TrainingStep step(model, optimizer, {.average = EMA{0.75}}), without(model, other);
  for (int i = 0; i < 2; ++i) step(params, batch(9));
  TensorMap state = optimizer.state_dict();
  other.load_state_dict(state);
  const TensorMap before = params.copy();
  const TensorMap gradients = model.evaluate(params, batch(9), of_cost).second;
  const std::string expected =
      "mithril.StateError[E0927]: the optimizer holds averages of parameters, which this update "
      "would leave out\n"
      "  updates in the averages : 2\n"
      "  help: make a training step with average=EMA() or SWA(); to drop the averages, load the "
      "state_dict without 'averaged'";
  CHECK(text_of_error([&] { without(params, batch(9)); }) == expected);
  CHECK(text_of_error([&] { other.step(params, gradients); }) == expected);
  CHECK(text_of_error([&] { without.exported(params); }) == expected);
  check_identical(before, params);
  check_identical(state, other.state_dict());
  state.erase("averaged");
  other.load_state_dict(state);
  without(params, batch(9));
  other.step(params, gradients);
  for (const auto& item : other.state_dict()) CHECK(!item.key().ends_with(".average"));
}

TEST_CASE("the average of a parameter that was frozen begins with the parameter") {
  const CompiledModel model = compiled_classifier({.dtype = DType::float64});
  const CompiledModel frozen =
      compiled_classifier({.dtype = DType::float64}, {.frozen = {"table"}});
  for (const TrainingOptions& options :
       {TrainingOptions{.average = EMA{0.75}}, TrainingOptions{.average = SWA{}}}) {
    TensorMap params = model.get_parameters();
    SGD optimizer;
    TrainingStep part(frozen, optimizer, options), whole(model, optimizer, options);
    for (int i = 0; i < 3; ++i) part(params, batch(9));
    const Tensor before = params.at("table").copy();
    whole(params, batch(9));
    const Tensor &table = params.at("table"), average = whole.averages(params).at("table");
    for (int64_t i = 0; i < table.size(); ++i) {
      const double old = before.at_as_double(i), now = table.at_as_double(i);
      CHECK(average.at_as_double(i) == doctest::Approx(0.75 * old + 0.25 * now).epsilon(1e-12));
    }
  }
}

}  // namespace mithril
