// Trains an ensemble of eight networks as one model, by ml::vmap. The networks differ in their
// first values. Where there is no data they disagree: the deviation of their answers says how
// uncertain they are. The program fails if it is not three times larger there.
// examples/python/ensemble.py is the same program. Usage: ensemble
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t members = 8, count = 128;  // networks, points

ml::Model network() {
  ml::Model net;
  net |= ml::Linear({.dimension = 32})({{"input", "x"}, {"output", "h"}});
  net |= ml::Tanh()({{"input", "h"}, {"output", "a"}});
  net |= ml::Linear({.dimension = 1})({{"input", "a"}, {"output", "y"}});
  return net;
}

ml::Model ensemble() { return ml::vmap(network(), {.params = {"*"}, .size = members}); }

// A model with its data, as it is trained.
struct Training {
  Training(const ml::Model& model, ml::TensorMap given) : data(std::move(given)) {
    ml::TrainModel train(model);
    train.add_loss(ml::SquaredError(), {{"input", "y"}, {"target", "target"}});
    compiled = ml::compile(train, ml::cpu({.dtype = ml::DType::float64}),
                           {.shapes = {{"x", {"N", 1}}}, .data_keys = {"x", "target"}});
    params = compiled->get_parameters(1);
    step.emplace(*compiled, optimizer);
  }

  void run() { (*step)(params, data); }

  ml::TensorMap data, params = {};
  std::optional<ml::CompiledModel> compiled = {};
  ml::Adam optimizer{{.lr = 1e-2}};
  std::optional<ml::TrainingStep> step = {};
};

// The median of 50 calls.
template <typename Call>
double seconds_of(const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[25];
}

// Points of a sine from -3 to -1 and from 1 to 3; the targets once for each network.
ml::TensorMap draw_points() {
  std::mt19937_64 random(0);
  std::uniform_real_distribution<double> place(1, 3);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> x, targets;
  for (int64_t i = 0; i < count; ++i) x.push_back(i % 2 == 0 ? place(random) : -place(random));
  for (const double at : x) targets.push_back(std::sin(2 * at) + noise(random));
  std::vector<double> repeated;
  for (int64_t i = 0; i < members; ++i)
    repeated.insert(repeated.end(), targets.begin(), targets.end());
  return {{"x", ml::Tensor::of({count, 1}, x)},
          {"target", ml::Tensor::of({members, count, 1}, repeated)}};
}

// The deviation of the answers of the networks at a point.
double deviation_at(const ml::Tensor& answers, int64_t point) {
  const int64_t points = answers.dims()[1];
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < members; ++i) {
    const double answer = answers.at_as_double(i * points + point);
    sum += answer;
    squares += answer * answer;
  }
  const double mean = sum / members;
  return std::sqrt(squares / members - mean * mean);
}

bool disagrees_between_the_data() {
  Training together(ensemble(), draw_points());
  for (int number = 0; number < 1000; ++number) together.run();
  const std::vector<double> at{-2, 0, 2};
  const ml::Tensor answers =
      together.compiled->infer(together.params, {{"x", ml::Tensor::of({3, 1}, at)}}).at("y");
  std::vector<double> deviations;
  for (int64_t i = 0; i < 3; ++i) {
    deviations.push_back(deviation_at(answers, i));
    std::printf("x = %4.1f: deviation %.3f\n", at[static_cast<size_t>(i)], deviations.back());
  }
  const ml::Tensor &x = together.data.at("x"), &all = together.data.at("target");
  std::vector<double> targets;  // of one network
  for (int64_t i = 0; i < count; ++i) targets.push_back(all.at_as_double(i));
  Training one(network(), {{"x", x}, {"target", ml::Tensor::of({count, 1}, targets)}});
  const double apart = seconds_of([&] {
    for (int64_t i = 0; i < members; ++i) one.run();
  });
  std::printf("a step of the ensemble takes %.2f of the time of eight models\n",
              seconds_of([&] { together.run(); }) / apart);
  return deviations[1] > 3 * std::max(deviations[0], deviations[2]);
}

}  // namespace

int main() try {
  return disagrees_between_the_data() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
