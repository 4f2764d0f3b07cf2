// A small model and its data, for the tests of `fit`.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/tensor/functions.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/fit.hpp"

namespace mithril::tests {

inline CompiledModel compiled_for_fit(std::shared_ptr<Backend> backend = cpu()) {
  Model layers;
  layers |= Linear({.dimension = 16})({{"input", "x"}});
  layers += BatchNorm1D();
  layers += Dropout({.p = 0.2});
  layers += Relu();
  layers += Linear({.dimension = 3})({{"output", "scores"}});
  TrainModel train(layers);
  train.add_loss(CrossEntropy(), {{"input", "scores"}, {"target", "label"}});
  return compile(train, std::move(backend), {.shapes = {{"x", {any, 4}}}});
}

// Points of four numbers; the class is the largest of the first three.
inline TensorMap points(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  Tensor x(DType::float32, {count, 4});
  for (float& number : x.mutable_values<float>()) number = static_cast<float>(random.normal());
  return {{"x", x}, {"label", argmax(slice(x, 1, 0, 3), 1)}};
}

inline double accuracy(const TensorMap& outputs, const TensorMap& batch) {
  const Tensor found = argmax(outputs.at("scores"), 1);
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < found.size(); ++i)
    right += found.values<std::int64_t>()[static_cast<size_t>(i)] ==
             batch.at("label").values<std::int64_t>()[static_cast<size_t>(i)];
  return static_cast<double>(right) / static_cast<double>(found.size());
}

inline void check_equal_maps(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& item : a) {
    CAPTURE(item.key());
    CHECK(identical(item.tensor(), b.at(item.key())));
  }
}

inline History fit_quietly(TrainingStep& step, const BatchSource& data, FitOptions options) {
  options.progress = nullptr;
  return fit(step, data, options);
}

inline std::vector<double> losses_of(const History& history) {
  std::vector<double> losses;
  for (const EpochNumbers& numbers : history.epochs) losses.push_back(numbers.at("loss"));
  return losses;
}

}  // namespace mithril::tests
