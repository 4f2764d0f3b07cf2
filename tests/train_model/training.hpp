// A small training model, compiled and evaluated, for tests.
#pragma once
#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/making_data.hpp"
#include "mithril/train_model/train_model.hpp"

namespace mithril::tests {

// output = input @ weight.T + bias of rank 2, one number out.
inline Model line() {
  Model model = Linear({.dimension = 1});
  model.set_shapes({{"input", {"N", 1}}});
  return model;
}

inline Tensor column(const std::vector<double>& values) {
  Tensor tensor(DType::float64, {static_cast<int64_t>(values.size()), 1});
  std::copy(values.begin(), values.end(), tensor.mutable_values<double>().begin());
  return tensor;
}

// weight 2 and bias 1, for these inputs and the target 0.
struct Trained {
  TensorMap outputs, gradients;
  double cost() const { return outputs.at("final_cost").item(); }
};
inline Trained run(const TrainModel& train, const std::vector<double>& inputs) {
  const CompiledModel compiled = compile(train, cpu({.dtype = DType::float64}));
  const TensorMap params{{"weight", column({2})}, {"bias", Tensor::full(DType::float64, {1}, 1.0)}};
  const std::vector<double> zeros(inputs.size(), 0.0);
  auto [outputs, gradients] =
      compiled.evaluate(params, {{"input", column(inputs)}, {"target", column(zeros)}}, of_cost);
  return {std::move(outputs), std::move(gradients)};
}

}  // namespace mithril::tests
