// fit on several processes (threads here): validation, checkpoints and exceptions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/metrics/classification.hpp"
#include "mithril/metrics/regression.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/fit.hpp"
#include "mithril/training/tensorboard.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::no_errors;
using tests::on_each_rank;

TrainModel classifier() {
  Model layers;
  layers |= Linear({.dimension = 8})({{"input", "x"}});
  layers += Gelu();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy(), {{"input", "scores"}, {"target", "label"}});
  return train;
}

TensorMap rows_of(std::int64_t rows, std::uint64_t seed) {
  Random random(seed);
  Tensor x(DType::float64, {rows, 4});
  for (double& number : x.mutable_values<double>()) number = random.normal();
  Tensor label(DType::int64, {rows});
  for (std::int64_t& number : label.mutable_values<std::int64_t>())
    number = static_cast<std::int64_t>(random.next() % 3);
  return {{"x", x}, {"label", label}};
}

// The largest difference, relative to the largest element.
double difference(const TensorMap& found, const TensorMap& expected) {
  double largest = 0, size = 1e-300;
  for (const auto& [key, tensor] : expected) {
    const Tensor& other = found.at(key);
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      largest = std::max(largest, std::abs(tensor.at_as_double(i) - other.at_as_double(i)));
      size = std::max(size, std::abs(tensor.at_as_double(i)));
    }
  }
  return largest / size;
}

// An evaluator whose rows cannot leave the process.
class Rows : public metrics::Evaluator {
 public:
  std::string_view name() const override { return "Rows"; }
  void update(const TensorMap& batch) override { rows_ += batch.at("x").dims()[0]; }
  double compute() const override { return static_cast<double>(rows_); }
  void merge(const Evaluator&) override {}
  void reset() override { rows_ = 0; }

 private:
  std::int64_t rows_ = 0;
};

struct FitCase {
  std::int64_t epochs = 2, accumulate = 1;
  std::string folder = {};
  std::uint64_t seed = 0;
  bool validates = false, counts_rows = false;
  std::vector<std::function<bool(const History&)>> callbacks = {};
};

History fitted(const std::shared_ptr<Communicator>& group, const FitCase& at) {
  const CompiledModel compiled = compile(classifier(), cpu({.dtype = DType::float64, .threads = 1}),
                                         {.shapes = {{"x", {any, 4}}}, .group = group});
  SGD optimizer({.lr = 0.1});
  TrainingStep step(compiled, optimizer, {.accumulate = at.accumulate});
  metrics::Accuracy accuracy({.prediction = "scores", .target = "label"});
  Rows rows;
  FitOptions options{.epochs = at.epochs,
                     .batch_size = 8,
                     .callbacks = at.callbacks,
                     .checkpoint = at.folder,
                     .progress = nullptr,
                     .seed = at.seed};
  if (at.validates) {
    options.validation = rows_of(29, 5);
    options.evaluators["accuracy"] = &accuracy;
    if (at.counts_rows) options.evaluators["rows"] = &rows;
    options.metrics["first_score"] = [](const TensorMap& outputs, const TensorMap&) {
      return outputs.at("scores").at_as_double(0);
    };
  }
  return fit(step, rows_of(30, 3), options);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fit shares batches and refuses others") {
  const TensorMap alone = fitted(nullptr, {}).params;
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const auto group = communicator(own.name());
    CHECK(difference(fitted(group, {}).params, alone) <= 1e-12);
    const auto seed = static_cast<std::uint64_t>(own.rank());
    CHECK(refusal([&] {
            fitted(group, {.seed = seed});
          }).find("fit: the processes of group 'threads' differ in 'the rows of 'x''") !=
          std::string::npos);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("other batches of a function are noticed in each batch") {
  const auto errors = on_each_rank(2, [](Communicator& own) {
    const CompiledModel compiled = compile(
        classifier(), cpu(), {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
    const auto trained = [&](std::int64_t other_batch, std::int64_t fewer) {
      SGD optimizer;
      TrainingStep step(compiled, optimizer);
      const BatchSource batches([&](std::int64_t, std::int64_t index) -> std::optional<TensorMap> {
        if (index >= 4 - own.rank() * fewer) return std::nullopt;
        return rows_of(8, index == other_batch ? static_cast<std::uint64_t>(own.rank()) : 9);
      });
      return refusal([&] { fit(step, batches, {.progress = nullptr}); });
    };
    CHECK(trained(2, 0).find("differ in 'the rows of 'x''") != std::string::npos);
    const std::string text = trained(9, 1);
    CHECK(text.find("differ in 'the number of batches'") != std::string::npos);
    CHECK(text.find("the number of batches = 3") != std::string::npos);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("processes that validate in turn have the numbers of one process") {
  for (const bool counts_rows : {false, true}) {
    CAPTURE(counts_rows);
    const FitCase at{.validates = true, .counts_rows = counts_rows};
    const History alone = fitted(nullptr, at);
    for (const int size : {2, 3, 5}) {
      CAPTURE(size);
      std::vector<History> found(static_cast<size_t>(size));
      CHECK(on_each_rank(size, [&](Communicator& own) {
              found[static_cast<size_t>(own.rank())] = fitted(communicator(own.name()), at);
            }) == no_errors(size));
      for (const History& each : found) {
        for (size_t epoch = 0; epoch < alone.epochs.size(); ++epoch) {
          for (const char* name : {"validation_loss", "accuracy", "first_score"}) {
            CAPTURE(name);
            const double number = each.epochs[epoch].at(name);
            CHECK(number == found.front().epochs[epoch].at(name));
            CHECK(number == doctest::Approx(alone.epochs[epoch].at(name)).epsilon(1e-12));
          }
          if (counts_rows) CHECK(each.epochs[epoch].at("rows") == 29);
        }
      }
    }
  }
}

TEST_CASE("a checkpoint has the sums of gradients of all processes") {
  const FitCase whole{.epochs = 3, .accumulate = 3};  // 4 batches in an epoch
  const TensorMap alone = fitted(nullptr, whole).params;
  for (const int later : {1, 2, 3}) {
    CAPTURE(later);
    const FileFolder folder;
    const auto run = [&](int size, std::int64_t epochs) {
      std::vector<TensorMap> found(static_cast<size_t>(size));
      CHECK(on_each_rank(size, [&](Communicator& own) {
              found[static_cast<size_t>(own.rank())] =
                  fitted(communicator(own.name()),
                         {.epochs = epochs, .accumulate = 3, .folder = folder.at("run")})
                      .params;
            }) == no_errors(size));
      return found.front().share();
    };
    run(2, 1);
    CHECK(difference(run(later, 3), alone) <= 1e-12);
  }
}

TEST_CASE("a run that continues while gradients accumulate has the bits of one that did not end") {
  const FileFolder folder;
  const auto run = [&](const std::string& name, std::int64_t epochs) {
    std::vector<TensorMap> found(2);
    CHECK(on_each_rank(2, [&](Communicator& own) {
            found[static_cast<size_t>(own.rank())] =
                fitted(communicator(own.name()),
                       {.epochs = epochs, .accumulate = 3, .folder = folder.at(name)})
                    .params;
          }) == no_errors(2));
    return found.front().share();
  };
  const TensorMap expected = run("whole", 3);
  run("parts", 1);
  for (const auto& [key, tensor] : run("parts", 3)) CHECK(identical(tensor, expected.at(key)));
}

TEST_CASE("only the first process writes a log for TensorBoard") {
  const FileFolder folder;
  CHECK(on_each_rank(2, [&](Communicator& own) {
          fitted(communicator(own.name()), {.callbacks = {TensorBoard(folder.at("logs"))}});
        }) == no_errors(2));
  using Files = std::filesystem::directory_iterator;
  CHECK(std::distance(Files(folder.at("logs")), Files()) == 1);
}

TEST_CASE("an exception of a step on one process ends the others with an error that quotes it") {
  const auto errors = on_each_rank(2, [](Communicator& own) {
    const CompiledModel compiled = compile(
        classifier(), cpu(), {.shapes = {{"x", {any, 4}}}, .group = communicator(own.name())});
    SGD optimizer;
    TrainingStep step(compiled, optimizer);
    TensorMap params = compiled.get_parameters();
    const TensorMap rows = rows_of(6, 1);
    step(params, rows);
    if (own.rank() == 1) {
      CHECK(refusal([&] {
              step(params, {{"x", rows.at("x")}});
            }).starts_with("mithril.InputError[E0801]"));
    }
    step(params, rows);
  });
  for (const std::string& error : errors) {
    CAPTURE(error);
    CHECK(error.find("process 1 of 2 of group 'threads' has failed with an error\n"
                     "  error : mithril.InputError[E0801]: ") != std::string::npos);
    CHECK(error.find("\n  step  : 2\n") != std::string::npos);
  }
}

}  // namespace mithril
