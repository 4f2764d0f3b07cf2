// Trains networks with loops on the rows of processes (threads here).
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/distributed/relative_distance.hpp"

namespace mithril::tests {

constexpr std::int64_t steps = 4, width = 3;

inline Connection key(const char* name) { return Connection(IOKey{.name = name}); }

// h_next = tanh(x W + b + h U)
inline Model recurrent_step() {
  Model step;
  step |= Linear({.dimension = width})({{"input", "x"}, {"output", "a"}});
  step |= Linear({.dimension = width, .use_bias = false})({{"input", "h"}, {"output", "b"}});
  step |= Model::create({{"sum", key("a") + key("b")}})({{"a", "a"}, {"b", "b"}, {"sum", "sum"}});
  step |= Tanh()({{"input", "sum"}, {"output", "h_next"}});
  return step;
}

inline Model recurrent(const Model& step, ScanOptions options) {
  options.carry = {{"h", "h_next"}};
  options.sequences = {"x"};
  options.axis = 1;
  Model net, loop = Scan(step, options);
  if (options.lengths.empty()) {
    net |= loop({{"x", "x"}, {"h", "h"}, {"h_last", "y"}});
  } else {
    net |= loop({{"x", "x"}, {"h", "h"}, {"h_last", "y"}, {"lengths", "lengths"}});
  }
  return net;
}

inline TensorMap batch_of(const CompiledModel& compiled, std::int64_t rows, std::uint64_t seed) {
  Random random(seed);
  TensorMap all;
  for (const auto& [name, dims] : std::vector<std::pair<std::string, Dims>>{
           {"x", {rows, steps, 2}}, {"h", {rows, width}}, {"t", {rows, width}}}) {
    Tensor& tensor = all[name] = Tensor(DType::float64, dims);
    for (double& number : tensor.mutable_values<double>()) number = random.normal();
  }
  Tensor& lengths = all["lengths"] = Tensor(DType::int64, {rows});
  for (std::int64_t& length : lengths.mutable_values<std::int64_t>())
    length = static_cast<std::int64_t>(random.next() % (steps + 1));
  all["factor"] = Tensor::full(DType::float64, {}, 0.5);
  all["factors"] = Tensor::of<double>({2}, {0.5, -1});
  TensorMap batch;
  for (const std::string& name : compiled.data_keys()) batch[name] = all.at(name);
  return batch;
}

using MakeModel = std::function<Model()>;

inline TensorMap trained(const MakeModel& make, const std::shared_ptr<Communicator>& group) {
  const Model net = make();
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  CompileOptions options{
      .shapes = {{"h", {any, width}}, {"t", {any, width}}}, .data_keys = {"h"}, .group = group};
  for (const std::string& input : net.input_keys()) {
    if (input == "x") options.shapes.emplace_back("x", ShapeSpec{any, steps, 2});
    if (input == "w") options.shapes.emplace_back("w", ShapeSpec{width});
    if (input == "factors") {
      options.data_keys.emplace_back("factors");
      options.shapes.emplace_back("factors", ShapeSpec{2});
      options.replicated_keys = {"factors"};
    }
    if (input == "factor") options.data_keys.emplace_back("factor");
    if (input == "factor") options.shapes.emplace_back("factor", ShapeSpec{});
  }
  const CompiledModel compiled =
      compile(train, cpu({.dtype = DType::float64, .threads = 1}), options);
  SGD optimizer({.lr = 0.1});
  TrainingStep step(compiled, optimizer, {.max_norm = 1});
  TensorMap params = compiled.get_parameters(), found;
  for (const std::int64_t rows : {7, 2, 1, 6}) {
    const TensorMap batch = batch_of(compiled, rows, static_cast<std::uint64_t>(rows));
    const double loss = step(params, rows_of_process(compiled, batch)).at("final_cost").item();
    found["loss of " + std::to_string(rows)] = Tensor::full(DType::float64, {}, loss);
  }
  for (const auto& [name, param] : params) found[name] = param;
  return found;
}

inline void check_groups(const MakeModel& make) {
  const TensorMap alone = trained(make, nullptr);
  for (const int size : {2, 3}) {
    CAPTURE(size);
    std::vector<TensorMap> each(static_cast<size_t>(size));
    const auto errors = on_each_rank(size, [&](Communicator& own) {
      each[static_cast<size_t>(own.rank())] = trained(make, communicator(own.name()));
    });
    CHECK(errors == no_errors(size));
    for (const auto& item : alone) {
      CAPTURE(item.key());
      const Tensor& found = each.front().at(item.key());
      CHECK(relative_distance(found, item.tensor()) <= 1e-12);
      for (const TensorMap& other : each) CHECK(identical(other.at(item.key()), found));
    }
  }
}

inline std::string refused(const MakeModel& make) {
  const auto errors =
      on_each_rank(2, [&](Communicator& own) { trained(make, communicator(own.name())); });
  CHECK(errors[0] == errors[1]);
  return errors.front();
}

}  // namespace mithril::tests
