// The memory of an optimizer of which each process holds blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/fit.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::no_errors;
using tests::on_each_rank;

// A weight of 4 rows, a bias of 4, and a weight of 3 rows and 4 columns.
CompiledModel compiled_with_blocks(const std::shared_ptr<Communicator>& group) {
  Model layers;
  layers |= Linear({.dimension = 4})({{"input", "x"}});
  layers += Linear({.dimension = 3, .use_bias = false})({{"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return compile(
      train, cpu({.dtype = DType::float64, .threads = 1}),
      {.shapes = {{"x", {any, 5}}}, .group = group, .optimizer_state = OptimizerState::sharded});
}

TensorMap regression_data() {
  return {{"x", Tensor::randn({16, 5}, 1, DType::float64)},
          {"t", Tensor::randn({16, 3}, 2, DType::float64)}};
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a.at_as_double(i) - b.at_as_double(i)));
  return largest;
}

template <typename Call>
std::string first_line_of_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "";
}

}  // namespace

TEST_CASE("each process holds its blocks of the memory of the optimizer") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled = compiled_with_blocks(communicator(own.name()));
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.average = EMA{0.9}});
    TensorMap params = compiled.get_parameters();
    for (const std::string& key : compiled.parameter_keys()) {
      CAPTURE(key);
      CHECK(optimizer.find_memory(key) == nullptr);
    }
    step(params, regression_data());
    std::int64_t held = 0, whole = 0;
    for (const auto& [key, param] : params) {
      const Optimizer::ParameterMemory& memory = *optimizer.find_memory(key);
      for (const Tensor& slot : memory.slots) held += slot.size();
      held += memory.average->size();
      whole += param.size() * static_cast<std::int64_t>(memory.slots.size() + 1);
    }
    CHECK(held * 2 == whole);
    CHECK(first_line_of_error([&] { optimizer.state_dict(); }) ==
          "mithril.StateError[E0924]: each process holds a block of the memory of the optimizer");
    CHECK(first_line_of_error([&] {
            optimizer.step(params, params);
          }).starts_with("mithril.StateError[E0924]"));
    step.gather_optimizer();
    for (const auto& [key, param] : params)
      CHECK(optimizer.state_dict().at(key + ".exp_avg").dims() == param.dims());
    step(params, regression_data());
    CHECK(optimizer.find_memory(params.begin()->key())->block.has_value());
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("fit continues with any number of processes and any kind of memory") {
  const TensorMap data = regression_data();
  const auto fitted = [&](const std::shared_ptr<Communicator>& group, std::int64_t epochs,
                          const std::string& folder) {
    const CompiledModel compiled = compiled_with_blocks(group);
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.average = EMA{0.9}});
    return fit(step, data,
               {.epochs = epochs,
                .batch_size = 4,
                .averages = true,
                .checkpoint = folder,
                .progress = nullptr})
        .params;
  };
  const FileFolder folder;
  const TensorMap alone = fitted(nullptr, 4, "");
  const std::string path = folder.at("run");
  fitted(nullptr, 1, path);
  for (const int size : {2, 4}) {
    const auto errors = on_each_rank(size, [&](Communicator& own) {
      fitted(communicator(own.name()), size == 2 ? 2 : 3, path);
    });
    CHECK(errors == no_errors(size));
  }
  const TensorMap trained = fitted(nullptr, 4, path);
  for (const std::string& key : trained.keys()) {
    CAPTURE(key);
    CHECK(largest_difference(trained.at(key), alone.at(key)) <= 1e-11);
  }
}

TEST_CASE("the state of an optimizer is replicated or sharded") {
  CHECK(optimizer_state_named("sharded") == OptimizerState::sharded);
  CHECK(first_line_of_error([] { optimizer_state_named("shraded"); }) ==
        "mithril.NameError[E0632]: there is no optimizer_state 'shraded'");
}

}  // namespace mithril
