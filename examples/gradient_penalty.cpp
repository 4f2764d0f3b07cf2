// Trains a generator of points on a ring against a critic with a gradient penalty (WGAN-GP:
// Gulrajani et al., "Improved training of Wasserstein GANs", 2017,
// https://arxiv.org/abs/1704.00028). The loss of the critic contains the norm of its gradient with
// respect to its input. The program prints how far the generated points are from the ring, and
// fails if that is 0.3 or more. examples/python/gradient_penalty.py is the same program. Usage:
// gradient_penalty
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t batch = 128, noise_size = 4;
constexpr double radius = 2;

ml::Model network(const std::string& name, int64_t outputs) {
  ml::Model net;
  net |= ml::Linear({.dimension = 48})({{"input", "input"}, {"output", "h1"}});
  net |= ml::LeakyRelu()({{"input", "h1"}, {"output", "h2"}});
  net |= ml::Linear({.dimension = 48})({{"input", "h2"}, {"output", "h3"}});
  net |= ml::LeakyRelu()({{"input", "h3"}, {"output", "h4"}});
  net |= ml::Linear({.dimension = outputs})({{"input", "h4"}, {"output", "output"}});
  net.expose_keys({"output"});
  return net.named(name);
}

// The loss of the critic on real and fake points, and on points between them.
ml::Model critic_loss() {
  const ml::Model critic = network("critic", 1);
  ml::Model model;
  model |= critic({{"input", "real"}, {"output", "on_real"}});
  model |= critic.shared()({{"input", "fake"}, {"output", "on_fake"}});
  model |= critic.shared()({{"input", "between"}, {"output", "on_between"}});
  const ml::Connection slope = ml::gradient(model["on_between"], model["between"], 1.0);
  const ml::Connection norm = ml::apply("sqrt", {(slope * slope).sum(1) + 1e-12});
  const ml::Connection penalty = ((norm - 1.0) * (norm - 1.0)).mean();
  const ml::Connection loss = model["on_fake"].mean() - model["on_real"].mean() + penalty * 10.0;
  model |= ml::Buffer()({{"input", loss}, {"output", "loss"}});
  return model.expose_keys({"loss"});
}

ml::Model generator() {
  ml::Model model;
  model |= network("generator", 2)({{"input", "noise"}, {"output", "points"}});
  return model;
}

ml::Model generator_loss() {
  ml::Model model = generator();
  model |= network("critic", 1)({{"input", "points"}, {"output", "judged"}});
  model |= ml::Buffer()({{"input", model["judged"].mean() * -1.0}, {"output", "loss"}});
  return model.expose_keys({"loss"});
}

class Training {
 public:
  Training()
      : critic_(compiled(critic_loss(), {"real", "fake", "between"}, 2, {})),
        judged_(compiled(generator_loss(), {"noise"}, noise_size, {"critic.*"})),
        painter_(compiled(generator(), {"noise"}, noise_size, {})),
        train_critic_(critic_, of_critic_),
        train_generator_(judged_, of_generator_) {
    params_ = judged_.get_parameters(0);
  }

  void run(int steps) {
    for (int number = 0; number < steps; ++number) {
      for (int i = 0; i < 3; ++i) train_critic();
      train_generator_(params_, {{"noise", noise()}});
    }
  }

  // The mean distance of generated points from the ring.
  double error() {
    const ml::Tensor points = generated();
    double sum = 0;
    for (int64_t i = 0; i < batch; ++i) {
      const double norm = std::hypot(points.at_as_double(2 * i), points.at_as_double(2 * i + 1));
      sum += std::abs(norm - radius);
    }
    return sum / static_cast<double>(batch);
  }

 private:
  static ml::CompiledModel compiled(const ml::Model& model, const std::vector<std::string>& data,
                                    int64_t width, std::vector<std::string> frozen) {
    ml::CompileOptions options;
    options.frozen = std::move(frozen);
    for (const std::string& key : data) {
      options.data_keys.emplace_back(key);
      options.shapes.emplace_back(key, ml::ShapeSpec{batch, width});
    }
    return ml::compile(model, ml::cpu({.dtype = ml::DType::float64}), options);
  }

  // The parameters of one of the networks.
  ml::TensorMap params_of(const std::string& prefix) const {
    std::vector<ml::TensorMap::Item> items;
    for (const auto& [key, value] : params_) {
      if (key.starts_with(prefix)) items.emplace_back(key, value);
    }
    return ml::TensorMap(std::move(items));
  }

  ml::Tensor noise() {
    std::normal_distribution<double> normal;
    std::vector<double> drawn(static_cast<size_t>(batch * noise_size));
    for (double& element : drawn) element = normal(random_);
    return ml::Tensor::of({batch, noise_size}, drawn);
  }

  ml::Tensor generated() {
    return painter_.evaluate(params_of("generator."), {{"noise", noise()}}).at("points");
  }

  void train_critic() {
    std::uniform_real_distribution<double> turn(0, 2 * std::numbers::pi), place(0, 1);
    const ml::Tensor fake = generated();
    std::vector<double> real, between;
    for (int64_t i = 0; i < batch; ++i) {
      const double angle = turn(random_), at = place(random_);
      for (const double coordinate : {radius * std::cos(angle), radius * std::sin(angle)}) {
        real.push_back(coordinate);
        const double other = fake.at_as_double(static_cast<int64_t>(real.size()) - 1);
        between.push_back(at * coordinate + (1 - at) * other);
      }
    }
    ml::TensorMap own = params_of("critic.");
    train_critic_(own, {{"real", ml::Tensor::of({batch, 2}, real)},
                        {"fake", fake},
                        {"between", ml::Tensor::of({batch, 2}, between)}});
    std::vector<ml::TensorMap::Item> items;
    for (const auto& [key, value] : params_)
      items.emplace_back(key, own.contains(key) ? own.at(key) : value);
    params_ = ml::TensorMap(std::move(items));
  }

  std::mt19937_64 random_{0};
  ml::CompiledModel critic_, judged_, painter_;
  ml::Adam of_critic_{{.lr = 2e-3, .betas = {0.5, 0.9}}},
      of_generator_{{.lr = 5e-4, .betas = {0.5, 0.9}}};
  ml::TrainingStep train_critic_, train_generator_;
  ml::TensorMap params_;
};

}  // namespace

int main() try {
  Training training;
  std::printf("step    0: points are %.2f away from the ring\n", training.error());
  for (int steps = 500; steps <= 1500; steps += 500) {
    training.run(500);
    std::printf("step %4d: points are %.2f away from the ring\n", steps, training.error());
  }
  return training.error() < 0.3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
