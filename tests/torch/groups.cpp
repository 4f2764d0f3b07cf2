// Training on several processes (threads here) with the torch backend gives the results of one
// process with the CPU backend.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/models/pooling.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/distributed/relative_distance.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {
namespace {

using Group = std::shared_ptr<Communicator>;
using BackendOf = std::shared_ptr<Backend>;

constexpr std::int64_t ignored_label = -1;

TrainModel masked_classifier() {
  Model layers;
  layers |= Conv2d({.filters = 4, .kernel_size = 3, .padding = 1, .use_bias = false})(
      {{"input", "x"}, {"weight", "first"}});
  layers += BatchNorm2D();
  layers += Gelu();
  layers += MaxPool2D({.kernel_size = 2});
  layers += Flatten({.start_dim = 1});
  layers += Dropout({.p = 0.3});
  layers += LayerNorm();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy({.ignore_index = ignored_label}),
                 {{"input", "scores"}, {"target", "label"}});
  train.add_regularization(L2(), 0.1, {{"input", "first"}});
  return train;
}

TensorMap masked_images(std::int64_t rows, std::uint64_t seed, DType dtype) {
  Random random(seed);
  Tensor x(DType::float64, {rows, 2, 4, 4});
  for (double& number : x.mutable_values<double>()) number = random.normal();
  Tensor label(DType::int64, {rows});
  for (std::int64_t& number : label.mutable_values<std::int64_t>())
    number = static_cast<std::int64_t>(random.next() % 4) - 1;
  return {{"x", x.to(dtype)}, {"label", label}};
}

struct GroupRun {
  bool adam = false;
  TrainingOptions options = {};
  DType dtype = DType::float64;
  std::vector<std::int64_t> batches = {9, 9, 7, 9, 2, 9};  // of two rows, a process gets none
};

// The parameters, averages, states and costs.
TensorMap results_of_group(const BackendOf& backend, const Group& group, const GroupRun& run) {
  const CompiledModel compiled =
      compile(masked_classifier(), backend,
              {.shapes = {{"x", {any, 2, 4, 4}}}, .group = group, .bucket_bytes = 256});
  std::unique_ptr<Optimizer> optimizer =
      std::make_unique<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9});
  if (run.adam) optimizer = std::make_unique<AdamW>(AdamWOptions{.lr = 0.01});
  TrainingStep step(compiled, *optimizer, run.options);
  TensorMap params = compiled.get_parameters();
  TensorMap results;
  std::uint64_t batch = 0;
  for (const std::int64_t rows : run.batches) {
    const TensorMap data = rows_of_process(compiled, masked_images(rows, batch, run.dtype));
    results["cost " + std::to_string(batch++)] = step(params, data).at("final_cost").host().copy();
  }
  for (const auto& [key, tensor] : params) results[key] = tensor.host();
  for (const auto& [key, tensor] : step.state()) results["state " + key] = tensor.host();
  if (run.options.averages()) {
    for (const auto& [key, tensor] : step.averages(params))
      results["average " + key] = tensor.host();
  }
  return results;
}

void check_groups(const BackendOf& backend, const TensorMap& expected, const GroupRun& run,
                  double tolerance) {
  for (const int size : {2, 3}) {
    CAPTURE(size);
    std::vector<TensorMap> each(static_cast<size_t>(size));
    CHECK(on_each_rank(size, [&](Communicator& own) {
            each[static_cast<size_t>(own.rank())] =
                results_of_group(backend, communicator(own.name()), run);
          }) == no_errors(size));
    for (const auto& item : expected) {
      CAPTURE(item.key());
      for (const TensorMap& found : each) {
        REQUIRE(found.find(item.key()));
        CHECK(identical(found.at(item.key()), each.front().at(item.key())));
      }
      CHECK(relative_distance(each.front().at(item.key()), item.tensor()) <= tolerance);
    }
  }
}

TensorMap expected_of(const GroupRun& run) {
  return results_of_group(cpu({.dtype = run.dtype, .threads = 1}), nullptr, run);
}

}  // namespace

TEST_CASE("SGD on several processes with torch gives the parameters of one process") {
  if (!has_torch()) return skip_without_torch();
  const GroupRun run{.options = {.max_norm = 0.05, .average = EMA{0.9}}};
  const TensorMap expected = expected_of(run);
  check_groups(torch({.dtype = DType::float64}), expected, run, 1e-12);
  check_groups(torch({.dtype = DType::float64, .eager_mode = true}), expected, run, 1e-12);
  check_groups(torch({.dtype = DType::float64, .jit_compile = true}), expected, run, 1e-12);
  check_groups(torch({.dtype = DType::float64, .memory_efficient = true}), expected, run, 1e-12);
}

TEST_CASE("AdamW on several processes with torch gives the parameters of one process") {
  if (!has_torch()) return skip_without_torch();
  const GroupRun run{.adam = true};
  check_groups(torch({.dtype = DType::float64}), expected_of(run), run, 1e-11);
}

TEST_CASE("gradients that torch accumulates are those of all processes") {
  if (!has_torch()) return skip_without_torch();
  const GroupRun run{.options = {.max_norm = 0.05, .accumulate = 3}};
  check_groups(torch({.dtype = DType::float64}), expected_of(run), run, 1e-12);
}

TEST_CASE("torch sums gradients of half precision over processes") {
  if (!has_torch()) return skip_without_torch();
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    CAPTURE(name(dtype));
    const GroupRun run{.dtype = dtype, .batches = {9}};
    const BackendOf backend = torch({.dtype = dtype});
    check_groups(backend, results_of_group(backend, nullptr, run), run, 0.1);
  }
  const GroupRun run{.dtype = DType::float32, .batches = {9}};
  const BackendOf mixed = torch({.use_amp = true});
  check_groups(mixed, results_of_group(mixed, nullptr, run), run, 0.1);
}

TEST_CASE("a backend in torch's autograd is refused for a group") {
  if (!has_torch()) return skip_without_torch();
  const auto errors = on_each_rank(2, [](Communicator& own) {
    results_of_group(torch({.requires_grad = true}), communicator(own.name()), {});
  });
  for (const std::string& error : errors) {
    CHECK(error ==
          "mithril.BackendError[E1054]: the backend \"torch\" with requires_grad cannot train on "
          "several processes\n"
          "  help: make the backend without requires_grad, and train with ml.TrainingStep");
  }
}

}  // namespace mithril::tests
