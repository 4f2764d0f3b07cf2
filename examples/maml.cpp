// Learns to learn: parameters from which one step of gradient descent fits a new sine (MAML: Finn
// et al., 2017, https://arxiv.org/abs/1703.03400). The step of each task is a gradient inside of
// the model, ml::vmap computes all tasks at once, and training differentiates through the steps.
// The program prints the error on new tasks after one step, and fails if it is 0.3 or more.
// examples/python/maml.py is the same program. Usage: maml
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t tasks = 16, points = 10, width = 40;
constexpr double rate = 0.02;

using Weights = std::vector<ml::Connection>;  // w1, b1, w2, b2, w3

ml::Connection predict(const Weights& weights, const ml::Connection& x) {
  const ml::Connection first = ml::apply("matmul", {x, weights[0]}) + weights[1];
  const ml::Connection second =
      ml::apply("matmul", {ml::apply("tanh", {first}), weights[2]}) + weights[3];
  return ml::apply("matmul", {ml::apply("tanh", {second}), weights[4]});
}

ml::Connection loss_of(const Weights& weights, const ml::Connection& x, const ml::Connection& y) {
  const ml::Connection error = predict(weights, x) - y;
  return (error * error).mean();
}

ml::Connection input(const char* name, const ml::ShapeSpec& shape) {
  return ml::Connection(ml::IOKey{.name = name, .shape = shape});
}

// A model with the mean loss of all tasks after one step.
ml::Model compose() {
  const Weights weights{input("w1", {1, width}), input("b1", {width}), input("w2", {width, width}),
                        input("b2", {width}), input("w3", {width, 1})};
  const ml::ShapeSpec column{points, 1};
  const ml::Connection x = input("x", column), y = input("y", column);
  const ml::Connection new_x = input("new_x", column), new_y = input("new_y", column);
  const Weights slopes = ml::gradient(loss_of(weights, x, y), weights);
  Weights stepped;
  for (size_t i = 0; i < weights.size(); ++i) stepped.push_back(weights[i] - slopes[i] * rate);
  const ml::Model task = ml::Model::create({{"after", loss_of(stepped, new_x, new_y)}});
  ml::Model model;
  model |= ml::vmap(
      task, {.in_axes = {{"x", 0}, {"y", 0}, {"new_x", 0}, {"new_y", 0}}})({{"w1", "w1"},
                                                                            {"b1", "b1"},
                                                                            {"w2", "w2"},
                                                                            {"b2", "b2"},
                                                                            {"w3", "w3"},
                                                                            {"x", "x"},
                                                                            {"y", "y"},
                                                                            {"new_x", "new_x"},
                                                                            {"new_y", "new_y"},
                                                                            {"after", "losses"}});
  model |= ml::Mean()({{"input", "losses"}, {"output", "loss"}});
  return model.expose_keys({"loss"});
}

// Sines of random height and phase: points to learn from, and points to be judged by.
ml::TensorMap draw_tasks(std::mt19937_64& random) {
  std::uniform_real_distribution<double> height(0.5, 2), phase(0, std::numbers::pi), place(-3, 3);
  std::vector<double> x[2], y[2];
  for (int64_t task = 0; task < tasks; ++task) {
    const double scale = height(random), shift = phase(random);
    for (int set = 0; set < 2; ++set) {
      for (int64_t i = 0; i < points; ++i) {
        x[set].push_back(place(random));
        y[set].push_back(scale * std::sin(x[set].back() + shift));
      }
    }
  }
  const ml::Dims dims{tasks, points, 1};
  return {{"x", ml::Tensor::of(dims, x[0])},
          {"y", ml::Tensor::of(dims, y[0])},
          {"new_x", ml::Tensor::of(dims, x[1])},
          {"new_y", ml::Tensor::of(dims, y[1])}};
}

double error_after_training() {
  std::mt19937_64 random(0);
  ml::CompileOptions options{.data_keys = {"x", "y", "new_x", "new_y"},
                             .trainable_keys = {"w1", "b1", "w2", "b2", "w3"}};
  for (const char* key : {"x", "y", "new_x", "new_y"})
    options.shapes.emplace_back(key, ml::ShapeSpec{tasks, points, 1});
  const auto compiled = ml::compile(compose(), ml::cpu({.dtype = ml::DType::float64}), options);
  ml::TensorMap params = compiled.get_parameters(0);
  std::vector<ml::TensorMap> unseen;
  for (int i = 0; i < 20; ++i) unseen.push_back(draw_tasks(random));
  const auto error = [&] {
    double sum = 0;
    for (const ml::TensorMap& batch : unseen)
      sum += compiled.evaluate(params, batch).at("loss").item();
    return sum / static_cast<double>(unseen.size());
  };
  std::printf("before training: error %.3f after one step\n", error());
  ml::Adam optimizer({.lr = 2e-3});
  ml::TrainingStep step(compiled, optimizer);
  for (int number = 0; number < 1500; ++number) step(params, draw_tasks(random));
  const double last = error();
  std::printf("after training:  error %.3f after one step\n", last);
  return last;
}

}  // namespace

int main() try {
  return error_after_training() < 0.3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
