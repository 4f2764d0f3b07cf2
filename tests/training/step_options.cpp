// Options of training steps, and schedules of their learning rates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/training/classifier.hpp"

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

TEST_CASE("micro-steps make the step of their whole batch") {
  for (const bool reference : {false, true}) {
    CAPTURE(reference);
    const CompiledModel model =
        compiled_classifier({.dtype = DType::float64, .reference = reference});
    TensorMap whole = model.get_parameters(), params = whole.copy();
    AdamW expected({.lr = 0.01}), optimizer({.lr = 0.01});
    TrainingStep step_of_whole(model, expected, {.max_norm = 0.5});
    TrainingStep step(model, optimizer, {.max_norm = 0.5, .accumulate = 3});
    for (int update = 0; update < 3; ++update) {
      const TensorMap data = batch(30, update);
      step_of_whole(whole, data);
      for (int64_t part = 0; part < 3; ++part) {
        const TensorMap before = params.copy();
        TensorMap rows;
        for (const auto& [key, tensor] : data) {
          rows[key] =
              Tensor::of<int64_t>({10}, {tensor.values<int64_t>().begin() + 10 * part,
                                         tensor.values<int64_t>().begin() + 10 * part + 10});
        }
        step(params, rows);
        if (part < 2) check_identical(before, params);
      }
    }
    CHECK(optimizer.steps() == 3);
    for (const auto& [key, tensor] : whole) {
      for (int64_t i = 0; i < tensor.size(); ++i) {
        REQUIRE(params.at(key).at_as_double(i) ==
                doctest::Approx(tensor.at_as_double(i)).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("steps resume with the same bits in the middle of an accumulation") {
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    CAPTURE(mithril::name(dtype));
    const CompiledModel model = compiled_classifier({.dtype = dtype});
    const TrainingOptions options{.max_norm = 0.5, .accumulate = 3, .average = EMA{0.75}};
    const auto made = [] {
      return Adam({.lr = CosineSchedule{.lr = 0.1, .steps = 5},
                   .groups = {{.pattern = "table", .lr_factor = 0.5}}});
    };
    TensorMap params = model.get_parameters();
    Adam first = made();
    TrainingStep step(model, first, options);
    for (int i = 0; i < 5; ++i) step(params, batch(9, i));
    TensorMap resumed = params.copy();
    Adam second = made();
    second.load_state_dict(first.state_dict());
    TrainingStep other(model, second, options);
    for (int i = 5; i < 11; ++i) {
      step(params, batch(9, i));
      other(resumed, batch(9, i));
    }
    check_identical(params, resumed);
    check_identical(first.state_dict(), second.state_dict());
    check_identical(step.averages(params), other.averages(resumed));
  }
}

TEST_CASE("averages are those of the parameters after each update") {
  const CompiledModel model = compiled_classifier({.dtype = DType::float64});
  const auto check = [&](const TrainingOptions& options, auto next) {
    TensorMap params = model.get_parameters();
    SGD optimizer({.lr = 0.1, .groups = {{.pattern = "table", .frozen = true}}});
    TrainingStep step(model, optimizer, options);
    check_identical(params, step.averages(params));  // nothing is averaged yet
    TensorMap expected = params.copy();
    for (int update = 1; update <= 6; ++update) {
      step(params, batch(9, update));
      for (auto& [key, mean] : expected) {
        for (size_t i = 0; i < mean.template values<double>().size(); ++i) {
          double& average = mean.template mutable_values<double>()[i];
          const double now = params.at(key).template values<double>()[i];
          average = next(update, average, now);
        }
      }
      const TensorMap averages = step.averages(params);
      for (const auto& entry : expected) {
        const auto& [key, mean] = entry;
        CAPTURE(entry.key());
        for (int64_t i = 0; i < mean.size(); ++i) {
          REQUIRE(averages.at(key).at_as_double(i) ==
                  doctest::Approx(mean.at_as_double(i)).epsilon(1e-12));
        }
      }
    }
    check_identical({{"table", params.at("table")}}, step.averages(params));
  };
  check({.average = EMA{0.75}}, [](int update, double average, double now) {
    return update == 1 ? now : 0.75 * average + 0.25 * now;
  });
  // After the updates 3 and 5; until then the parameters themselves.
  check({.average = SWA{.start = 1, .every = 2}}, [](int update, double average, double now) {
    if (update <= 3) return now;
    return update == 5 ? (average + now) / 2 : average;
  });
}

TEST_CASE("groups have their own rates, and frozen parameters stay") {
  const CompiledModel model = compiled_classifier();
  std::vector<std::string> biases;
  for (const std::string& key : model.get_parameters().keys()) {
    if (key.ends_with(".bias")) biases.push_back(key);
  }
  REQUIRE(biases.size() > 1);
  const auto made = [] {
    return AdamW({.lr = 0.125,
                  .weight_decay = 0.5,
                  .groups = {{.pattern = "tabl?", .frozen = true},
                             {.pattern = "*.bias", .lr_factor = 0.25, .weight_decay = 0}}});
  };
  TensorMap apart = model.get_parameters(), params = apart.copy(), plain = apart.copy();
  const TensorMap before = apart.copy();
  AdamW expected = made(), optimizer = made(), of_biases({.lr = 0.03125, .weight_decay = 0});
  TrainingStep step(model, optimizer);
  const TensorMap gradients = model.evaluate(apart, batch(30), of_cost).second;
  of_biases.step(plain, gradients);
  expected.step(apart, gradients);
  step(params, batch(30));
  check_identical(apart, params);
  CHECK(identical(before.at("table"), params.at("table")));
  for (const std::string& key : biases) {
    CAPTURE(key);
    CHECK(identical(plain.at(key), params.at(key)));
  }
  for (const auto& item : optimizer.state_dict()) CHECK(!item.key().starts_with("table."));
}

TEST_CASE("parameters that compile froze keep their bits under every option of a step") {
  const CompiledModel whole = compiled_classifier();
  const CompiledModel model = compiled_classifier({}, {.frozen = {"table", "linear.*"}});
  const std::vector<TrainingOptions> all = {
      {}, {.max_norm = 0.5}, {.accumulate = 2, .average = EMA{0.9}}};
  for (const TrainingOptions& options : all) {
    TensorMap params = model.get_parameters(), expected = params.copy();
    const TensorMap before = params.copy();
    AdamW optimizer({.lr = 0.1, .weight_decay = 0.5});
    AdamW grouped({.lr = 0.1,
                   .weight_decay = 0.5,
                   .groups = {{.pattern = "table", .frozen = true},
                              {.pattern = "linear.*", .frozen = true}}});
    TrainingStep step(model, optimizer, options), other(whole, grouped, options);
    for (int i = 0; i < 4; ++i) {
      step(params, batch(9));
      other(expected, batch(9));
    }
    check_identical(expected, params);
    for (const std::string& key : model.frozen_keys()) {
      CAPTURE(key);
      CHECK(identical(before.at(key), params.at(key)));
    }
    CHECK(!identical(before.at("linear_1.weight"), params.at("linear_1.weight")));
    for (const auto& item : optimizer.state_dict()) {
      CHECK(!item.key().starts_with("table."));
      CHECK(!item.key().starts_with("linear."));
    }
  }
}

TEST_CASE("a step of a model whose parameters are all frozen moves none") {
  const CompiledModel model = compiled_classifier({}, {.frozen = {"*"}});
  TensorMap params = model.get_parameters();
  const TensorMap before = params.copy();
  AdamW optimizer({.lr = 0.1, .weight_decay = 0.5});
  TrainingStep step(model, optimizer);
  step(params, batch(9));
  check_identical(before, params);
  optimizer.step(params, model.evaluate(params, batch(9), of_cost).second);
  check_identical(before, params);
}

TEST_CASE("a step without a parameter that moves counts its steps") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  const TensorMap before = params.copy();
  SGD optimizer({.groups = {{.pattern = "*", .frozen = true}}});
  TrainingStep step(model, optimizer, {.max_norm = 1.0, .accumulate = 2, .average = EMA{}});
  for (int i = 0; i < 4; ++i) step(params, batch(9));
  check_identical(before, params);
  CHECK(optimizer.steps() == 2);
}

TEST_CASE("sums of gradients are not used by a step with a smaller accumulate") {
  const CompiledModel model = compiled_classifier();
  TensorMap params = model.get_parameters();
  SGD optimizer;
  TrainingStep step(model, optimizer, {.accumulate = 4});
  for (int i = 0; i < 2; ++i) step(params, batch(9));
  const TensorMap before = params.copy(), kept = optimizer.state_dict();
  for (const std::int64_t accumulate : {1, 2, 3, 4}) {
    SGD other;
    other.load_state_dict(kept);
    TrainingStep next(model, other, {.accumulate = accumulate});
    const auto run = [&] { next(params, batch(9)); };
    if (accumulate > 2) {
      run();
    } else {
      CHECK(text_of_error(run) ==
            "mithril.StateError[E0915]: the optimizer has sums of gradients of a step with another "
            "accumulate\n"
            "  gradients in each sum : 2\n"
            "  accumulate            : " +
                std::to_string(accumulate) +
                "\n"
                "  help: make the step with the accumulate of the step that the state comes from");
      check_identical(before, params);
    }
  }
}

TEST_CASE("a pattern that matches no parameter is refused") {
  const CompiledModel model = compiled_classifier();
  SGD optimizer({.groups = {{.pattern = "*", .lr_factor = 2}, {.pattern = "*talbe"}}});
  const std::string expected =
      "mithril.NameError[E0623]: no parameter matches the pattern '*talbe'\n"
      "  help: the nearest key is 'table'";
  CHECK(text_of_error([&] { TrainingStep(model, optimizer); }) == expected);
  TensorMap params = model.get_parameters();
  CHECK(text_of_error([&] { optimizer.step(params, {}); }) == expected);
  CHECK(text_of_error([] { SGD({.groups = {{.pattern = "a.*", .lr_factor = -1}}}); }) ==
        "mithril.ValueError[E0406]: parameter group 'a.*': lr_factor is -1, expected at least 0");
}

TEST_CASE("a step without averages refuses to give them") {
  const CompiledModel model = compiled_classifier();
  SGD optimizer;
  const TrainingStep step(model, optimizer);
  CHECK(text_of_error([&] { step.averages({}); }) ==
        "mithril.StateError[E0911]: this training step keeps no averages\n"
        "  help: make it with average=EMA() or SWA()");
  CHECK(text_of_error([&] { TrainingStep(model, optimizer, {.accumulate = 0}); }) ==
        "mithril.ValueError[E0406]: training step: accumulate is 0, expected at least 1");
  CHECK(text_of_error([&] { TrainingStep(model, optimizer, {.average = EMA{1}}); }) ==
        "mithril.ValueError[E0406]: training step: decay is 1, expected at least 0 and below 1");
}

}  // namespace mithril
