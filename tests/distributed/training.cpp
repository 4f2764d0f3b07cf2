// Training steps on several processes (threads here) give the results of one process.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/distributed/relative_distance.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::no_errors;
using tests::on_each_rank;
using tests::relative_distance;
using tests::text_of_error;

constexpr std::int64_t ignored = -1;

TrainModel network(bool regularized) {
  Model layers;
  // Without a bias: its gradient would be 0 but for rounding, which Adam divides by itself.
  layers |= Linear({.dimension = 16, .use_bias = false})({{"input", "x"}, {"weight", "first"}});
  layers += BatchNorm1D();
  layers += Dropout({.p = 0.3});
  layers += Gelu();
  layers += LayerNorm();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy({.ignore_index = ignored}),
                 {{"input", "scores"}, {"target", "label"}});
  if (regularized) train.add_regularization(L2(), 0.1, {{"input", "first"}});
  return train;
}

TensorMap batch_of(std::int64_t rows, std::uint64_t seed) {
  Random random(seed);
  Tensor x(DType::float64, {rows, 4});
  for (double& number : x.mutable_values<double>()) number = random.normal();
  Tensor label(DType::int64, {rows});
  for (std::int64_t& number : label.mutable_values<std::int64_t>())
    number = static_cast<std::int64_t>(random.next() % 4) - 1;
  label.mutable_values<std::int64_t>()[0] = 0;  // the mean loss of ignored rows is NaN
  return {{"x", x}, {"label", label}};
}

struct Trained {
  TensorMap params;
  State state;
  std::vector<double> losses;
};

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>()>;
std::unique_ptr<Optimizer> sgd() {
  return std::make_unique<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9});
}
std::unique_ptr<Optimizer> adam() { return std::make_unique<AdamW>(AdamWOptions{.lr = 0.01}); }

// `sizes`: rows of the batches.
Trained train(const std::shared_ptr<Communicator>& group, const std::vector<std::int64_t>& sizes,
              const MakeOptimizer& make, const TrainingOptions& options, bool regularized,
              OptimizerState memory = OptimizerState::replicated) {
  const CompiledModel compiled =
      compile(network(regularized), cpu({.dtype = DType::float64, .threads = 1}),
              {.shapes = {{"x", {any, 4}}}, .group = group, .optimizer_state = memory});
  const std::unique_ptr<Optimizer> optimizer = make();
  TrainingStep step(compiled, *optimizer, options);
  Trained trained{.params = compiled.get_parameters(), .state = {}, .losses = {}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const TensorMap batch = rows_of_process(compiled, batch_of(sizes[i], i));
    trained.losses.push_back(step(trained.params, batch).at("final_cost").item());
  }
  trained.state = step.state();
  if (options.averages()) {
    for (const auto& [key, tensor] : step.averages(trained.params))
      trained.params["average of " + key] = tensor;
  }
  return trained;
}

void check_alike(const Trained& found, const Trained& expected, double tolerance) {
  for (const auto& item : expected.params) {
    CAPTURE(item.key());
    CHECK(relative_distance(found.params.at(item.key()), item.tensor()) <= tolerance);
  }
  for (const auto& item : expected.state) {
    CAPTURE(item.key());
    CHECK(relative_distance(found.state.at(item.key()), item.tensor()) <= tolerance);
  }
  REQUIRE(found.losses.size() == expected.losses.size());
  for (size_t i = 0; i < expected.losses.size(); ++i)
    CHECK(found.losses[i] == doctest::Approx(expected.losses[i]).epsilon(1e-11));
}

void check_same_bits(const Trained& found, const Trained& expected) {
  for (const auto& item : expected.params) {
    CAPTURE(item.key());
    CHECK(identical(found.params.at(item.key()), item.tensor()));
  }
  for (const auto& item : expected.state) {
    CAPTURE(item.key());
    CHECK(identical(found.state.at(item.key()), item.tensor()));
  }
  CHECK(found.losses == expected.losses);
}

void check_sizes_of_groups(const std::vector<std::int64_t>& sizes, const MakeOptimizer& make,
                           const TrainingOptions& options, double tolerance,
                           bool regularized = false,
                           OptimizerState memory = OptimizerState::replicated) {
  const Trained alone = train(nullptr, sizes, make, options, regularized);
  for (const int size : {1, 2, 3}) {
    CAPTURE(size);
    std::vector<Trained> each(static_cast<size_t>(size));
    const auto errors = on_each_rank(size, [&](Communicator& own) {
      each[static_cast<size_t>(own.rank())] =
          train(communicator(own.name()), sizes, make, options, regularized, memory);
    });
    CHECK(errors == no_errors(size));
    if (size == 1) check_same_bits(each.front(), alone);
    check_alike(each.front(), alone, tolerance);
    for (const Trained& other : each) {
      for (const auto& item : each.front().params) {
        CAPTURE(item.key());
        CHECK(identical(other.params.at(item.key()), item.tensor()));
      }
    }
  }
}

const std::vector<std::int64_t> batches = {12, 12, 7, 1, 2, 12};
const std::vector<std::int64_t> batches_of_20_steps = {12, 12, 7, 1,  2,  12, 3, 12, 12, 5,
                                                       12, 3,  9, 12, 12, 4,  8, 12, 11, 1};

}  // namespace

TEST_CASE("SGD on several processes gives the parameters of one process") {
  check_sizes_of_groups(batches, sgd, {}, 1e-12);
}

TEST_CASE("20 steps of AdamW on several processes give the parameters of one process") {
  check_sizes_of_groups(batches_of_20_steps, adam, {}, 1e-11);
}

TEST_CASE("clipping, regularisation and averages count the whole batch once") {
  check_sizes_of_groups(batches, sgd, {.max_norm = 0.05, .average = EMA{0.9}}, 1e-12, true);
  check_sizes_of_groups(batches, sgd, {.max_value = 0.01}, 1e-12, true);
}

TEST_CASE("accumulated gradients are those of all processes") {
  check_sizes_of_groups(batches, sgd, {.max_norm = 0.05, .accumulate = 3}, 1e-12, true);
}

TEST_CASE("processes that share the memory of the optimizer give the parameters of one process") {
  const OptimizerState shared = OptimizerState::sharded;
  check_sizes_of_groups(batches, sgd, {.max_norm = 0.05, .average = EMA{0.9}}, 1e-12, true, shared);
  check_sizes_of_groups(batches, adam, {.max_value = 0.01}, 1e-11, false, shared);
  check_sizes_of_groups(batches, sgd, {.max_norm = 0.05, .accumulate = 3}, 1e-12, true, shared);
}

TEST_CASE("processes that train different models are refused before they exchange tensors") {
  const auto errors = on_each_rank(3, [&](Communicator& own) {
    const MakeOptimizer other = [&] { return own.rank() == 2 ? adam() : sgd(); };
    train(communicator(own.name()), {6}, other, {}, false);
  });
  for (const std::string& error : errors) {
    CAPTURE(error);
    CHECK(error.find("mithril.DistributedError") == 0);
  }
}

TEST_CASE("a model on several backends is refused for a group") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    compile(network(false), Backends{{"", cpu()}, {"linear", cpu()}},
            {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
  });
  for (const std::string& error : errors) {
    CHECK(error ==
          "mithril.BackendError[E1054]: a model on several backends cannot train on several "
          "processes\n"
          "  help: compile for ml.CpuBackend() or ml.TorchBackend(), or leave out the group");
  }
}

TEST_CASE("sizes besides those of the batch are the same on all processes") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    Model layers;
    layers |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
    TrainModel train(layers);
    train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
    const CompiledModel compiled = compile(train, cpu(),
                                           {.shapes = {{"x", {any, any, 3}}, {"t", {any, any, 2}}},
                                            .group = communicator(own.name())});
    SGD optimizer;
    TrainingStep step(compiled, optimizer);
    TensorMap params = compiled.get_parameters();
    const std::int64_t length = 4 + own.rank();
    step(params, {{"x", Tensor::ones({2, length, 3})}, {"t", Tensor::ones({2, length, 2})}});
  });
  for (const std::string& error : errors) {
    CAPTURE(error);
    CHECK(error.find("differ in 'size 1 of 'x''") != std::string::npos);
  }
}

TEST_CASE("compile needs no placements, and a step or an evaluation refuses an op without one") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    Model net;
    net |= Cumsum({.axis = 0})({{"input", "x"}, {"output", "sums"}});
    const CompiledModel compiled =
        compile(net, cpu({.dtype = DType::float64}),
                {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
    const TensorMap x = {{"x", batch_of(5, 0).at("x")}};
    CHECK(compiled.infer({}, x).at("sums").dims() == Dims{5, 4});
    const std::string error = text_of_error([&] { compiled.evaluate({}, x); });
    own.barrier();  // the group is whole: all processes have raised the error
    throw std::runtime_error(error);
  });
  for (const std::string& error : errors)
    CHECK(error.find("mithril.StateError[E0950]: sums: cumsum mixes the rows of a batch that 2 "
                     "processes share") == 0);
}

TEST_CASE("infer runs on one process alone") {
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled =
        compile(network(false), cpu({.dtype = DType::float64}),
                {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
    if (own.rank() == 1) return;
    const TensorMap outputs = compiled.infer(
        compiled.get_parameters(), {{"x", batch_of(5, 0).at("x")}}, compiled.initial_state_dict());
    CHECK(outputs.at("scores").dims() == Dims{5, 3});
  });
  CHECK(errors == no_errors(2));
}

}  // namespace mithril
