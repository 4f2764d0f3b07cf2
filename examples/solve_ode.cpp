// Solves u'' = -sin(x) with u(0) = u(pi) = 0 by a network whose second derivative is in its loss: a
// physics-informed network (Raissi et al., 2019). The solution is sin(x). The program prints the
// largest error and fails if it is 1e-3 or more. examples/python/solve_ode.py is the same program.
// Usage: solve_ode
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr double pi = std::numbers::pi;
constexpr int64_t count = 64;  // points

// A model with u and the residual u'' + sin(x).
ml::Model compose() {
  const ml::Connection x(ml::IOKey{.name = "x", .shape = ml::ShapeSpec{"N", 1}});
  ml::Connection h = ml::Tanh()(ml::Linear({.dimension = 24})(x));
  h = ml::Tanh()(ml::Linear({.dimension = 24})(h));
  const ml::Connection u = x * (pi - x) * ml::Linear({.dimension = 1})(h);  // 0 at both ends
  const ml::Connection slope = ml::gradient(u, x, 1.0);
  const ml::Connection curvature = ml::gradient(slope, x, 1.0);
  return ml::Model::create({{"u", u}, {"residual", curvature + x.sin()}});
}

double largest_error() {
  ml::TrainModel train(compose());
  train.add_loss(ml::SquaredError(), {{"input", "residual"}, {"target", "zeros"}});
  std::vector<double> points(count);
  for (int64_t i = 0; i < count; ++i) points[static_cast<size_t>(i)] = pi * i / (count - 1);
  const ml::TensorMap data{{"x", ml::Tensor::of({count, 1}, points)},
                           {"zeros", ml::Tensor::zeros({count, 1}, ml::DType::float64)}};
  const auto compiled =
      ml::compile(train, ml::cpu({.dtype = ml::DType::float64}), {.data_keys = {"x", "zeros"}});
  ml::TensorMap params = compiled.get_parameters();
  ml::Adam optimizer({.lr = 5e-3});
  ml::TrainingStep step(compiled, optimizer);
  for (int number = 0; number <= 2000; ++number) {
    if (number == 1500) optimizer.set_lr(5e-4);
    const double cost = step(params, data).at("final_cost").item();
    if (number % 500 == 0) std::printf("step %4d: mean squared residual %.2e\n", number, cost);
  }
  const ml::Tensor u = compiled.infer(params, {{"x", data.at("x")}}).at("u");
  double error = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double exact = std::sin(points[static_cast<size_t>(i)]);
    error = std::max(error, std::abs(u.at_as_double(i) - exact));
  }
  return error;
}

}  // namespace

int main() try {
  const double error = largest_error();
  std::printf("largest error of u: %.1e\n", error);
  return error < 1e-3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
