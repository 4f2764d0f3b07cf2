// The memory of an optimizer of which each process holds blocks.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/distributed/write_together.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/placements/buckets.hpp"
#include "mithril/passes/placements/place.hpp"
#include "mithril/passes/placements/recompute_at_end.hpp"
#include "mithril/passes/placements/shard.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/checkpoint.hpp"
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

// The step of a network with AdamW, for 16 rows, as a process of `size` runs it.
struct PlannedStep {
  std::int64_t bytes = 0;      // that the backend plans for a call
  std::int64_t memory = 0;     // of the optimizer, in bytes
  std::int64_t gradients = 0;  // of the whole parameters, in bytes, each rounded up to 64
};

PlannedStep planned_step(int size, OptimizerState kind) {
  Model net;
  net |= Linear({.dimension = 64})({{"input", "x"}});
  net += Relu();
  net += Linear({.dimension = 256});
  net += Relu();
  net += Linear({.dimension = 8})({{"output", "y"}});
  net.set_shapes({{"x", {"N", 32}}});
  const Graph forward = run_passes(flatten(net, DType::float32).graph);
  DifferentiateOptions asked{.outputs = {"y"}, .wanted = {}};
  std::vector<TrainedParameter> trained;
  PlacementOptions placing{.group = "threads", .size = size, .sharded_inputs = {}};
  for (std::size_t i = 0; i < forward.inputs().size(); ++i) {
    const std::string& name = forward.value(forward.inputs()[i]).name;
    placing.sharded_inputs.push_back(name == "x");
    if (name == "x") continue;
    asked.wanted.push_back(name);
    trained.push_back({i, {.lr = 0.01}});
  }
  placing.sharded_inputs.push_back(true);  // the incoming gradient
  const AdamW optimizer({.lr = 0.01});
  const TrainingGraph step = training_graph(run_passes(differentiate(forward, asked)), trained,
                                            optimizer, {}, StepPart::whole);
  PlannedStep planned;
  Graph own = place(step.graph, placing).graph;
  if (kind == OptimizerState::sharded) {
    ShardOptions sharding{.group = "threads", .size = size, .row_inputs = placing.sharded_inputs};
    sharding.input_axes.resize(own.inputs().size());
    sharding.output_axes.resize(own.outputs().size());
    for (const ParameterInput& of : step.memory) sharding.input_axes[of.input] = 0;
    for (const Donation& donation : step.donations)
      sharding.output_axes[donation.output] = sharding.input_axes[donation.input];
    own = recompute_at_end(shard(own, sharding).graph, memory_outputs(step));
  }
  own.facts()->unify(own.value(own.inputs()[0]).dims[0], Dim(16));
  own.facts()->settle();
  const auto bytes_of = [&](std::size_t input) {
    return known_bytes(own.value(own.inputs()[input])).value();
  };
  for (const ParameterInput& of : step.memory) planned.memory += bytes_of(of.input);
  for (const TrainedParameter& parameter : trained)
    planned.gradients += (bytes_of(parameter.input) + 63) / 64 * 64;
  planned.bytes =
      cpu({.threads = 1})->load(own, {.donations = step.donations})->run_bytes().value();
  return planned;
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

TEST_CASE("save_together packs the elements of 4 bits of a state") {
  const FileFolder folder;
  const Tensor codes = Tensor::of<float>({2, 3}, {0.5, -6, 3, 1, -0.5, 2});
  State state, odd;
  state["codes"] = codes.to(DType::float4_e2m1fn);
  odd["codes"] = Tensor(DType::float4_e2m1fn, {3});
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const CompiledModel compiled = compiled_with_blocks(communicator(own.name()));
    AdamW optimizer;
    const TrainingStep step(compiled, optimizer);
    step.save_together(folder.at("run"), compiled.get_parameters(), {.state = &state});
    CHECK(first_line_of_error([&] {
            step.save_together(folder.at("odd"), compiled.get_parameters(), {.state = &odd});
          }).starts_with(own.rank() == 0 ? "mithril.ValueError[E0491]" : "mithril.Distributed"));
  });
  CHECK(errors == no_errors(2));
  CHECK(identical(load(folder.at("run")).state.at("codes"), state.at("codes")));
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

TEST_CASE("an exchange plans no more memory than the gradients have") {
  const PlannedStep alone = planned_step(1, OptimizerState::replicated);
  const PlannedStep both = planned_step(2, OptimizerState::replicated);
  CHECK(both.memory == alone.memory);
  CHECK(both.bytes <= alone.bytes + alone.gradients);
}

TEST_CASE("a step with sharded memory plans no more memory than one with whole memory") {
  for (const int size : {2, 4, 8}) {
    CAPTURE(size);
    const PlannedStep whole = planned_step(size, OptimizerState::replicated);
    const PlannedStep own = planned_step(size, OptimizerState::sharded);
    CHECK(own.bytes <= whole.bytes);
  }
}

TEST_CASE("the step of n processes has 1/n of the memory of the optimizer") {
  const PlannedStep alone = planned_step(1, OptimizerState::replicated);
  for (const int size : {2, 4, 8})
    CHECK(planned_step(size, OptimizerState::sharded).memory * size == alone.memory);
}

TEST_CASE("a checkpoint whose blocks their processes write is that of one process") {
  const FileFolder folder;
  const auto errors = on_each_rank(4, [&](Communicator& own) {
    const CompiledModel compiled = compiled_with_blocks(communicator(own.name()));
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.average = EMA{0.9}});
    TensorMap params = compiled.get_parameters();
    step(params, rows_of_process(compiled, regression_data()));
    // The file has that of the first process.
    const std::string note(own.rank() == 0 ? 1U : 1000U, 'x');
    const CheckpointParts parts = {
        .optimizer = &optimizer, .step = &step, .metadata = {{"note", note}}};
    step.save_together(folder.at("together"), params, parts);
    CHECK(optimizer.memories().begin()->second.block.has_value());  // nothing was gathered
    step.gather_optimizer();
    if (own.rank() == 0) save(folder.at("alone"), params, parts);
  });
  CHECK(errors == no_errors(4));
  CHECK(tests::contents(folder.at("together")) == tests::contents(folder.at("alone")));
}

TEST_CASE("a checkpoint that one process cannot write leaves the old one") {
  const FileFolder folder;
  const std::string path = folder.at("old");
  save(path, {{"old", Tensor::scalar(1.0)}});
  const std::string old = tests::contents(path);
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    const std::uint64_t at = own.rank() == 1 ? UINT64_MAX : 0;  // no file has this byte
    const FilePiece piece{at, "ab"};
    write_together(own, path, 2, {&piece, 1});
  });
  for (const std::string& error : errors) {
    CAPTURE(error);
    CHECK(
        error.starts_with("mithril.InputError[E0831]: " + path + ": the file cannot be written\n"));
    CHECK(error.find("process 1 of 2: Invalid argument") != std::string::npos);
  }
  CHECK(tests::contents(path) == old);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.at("")), {}) == 1);
}

TEST_CASE("processes replace no pipe by a file") {
  const FileFolder folder;
  const std::string path = folder.at("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto errors = on_each_rank(2, [&](Communicator& own) { write_together(own, path, 0, {}); });
  for (const std::string& error : errors)
    CHECK(error.find("process 0 of 2: it is not a regular file") != std::string::npos);
  CHECK(std::filesystem::is_fifo(path));
}

TEST_CASE("a process that continues a run keeps its blocks of the memory") {
  const FileFolder folder;
  AdamW saved({.lr = 0.01});
  TrainingStep alone(compiled_with_blocks(nullptr), saved, {.average = EMA{0.9}});
  TensorMap params = alone.compiled().get_parameters();
  alone(params, regression_data());
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled_with_blocks(communicator(own.name())), optimizer,
                      {.average = EMA{0.9}});
    step.load_optimizer(saved.state_dict());
    std::int64_t held = 0, whole = 0;
    for (const auto& [key, memory] : optimizer.memories()) {
      held += memory.average->size() + memory.slots.front().size();
      whole += 2 * params.at(key).size();
    }
    CHECK(held * 2 == whole);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("memory whose tensors have different dims is not cut") {
  AdamW saved({.lr = 0.01});
  TrainingStep alone(compiled_with_blocks(nullptr), saved);
  TensorMap params = alone.compiled().get_parameters();
  alone(params, regression_data());
  std::vector<TensorMap::Item> damaged;
  for (const auto& [entry, tensor] : saved.state_dict())
    damaged.emplace_back(entry, entry.ends_with(".exp_avg_sq") ? Tensor::scalar(1.0) : tensor);
  const TensorMap state(std::move(damaged));
  const auto errors = on_each_rank(2, [&](Communicator& own) {
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled_with_blocks(communicator(own.name())), optimizer);
    step.load_optimizer(state);
    for (const auto& [key, memory] : optimizer.memories()) CHECK(!memory.block);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("the state of an optimizer is replicated or sharded") {
  CHECK(optimizer_state_named("sharded") == OptimizerState::sharded);
  CHECK(first_line_of_error([] { optimizer_state_named("shraded"); }) ==
        "mithril.NameError[E0632]: there is no optimizer_state 'shraded'");
}

}  // namespace mithril
