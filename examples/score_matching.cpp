// Learns the score of a distribution, the gradient of its log density, from samples alone
// (Hyvärinen, "Estimation of non-normalized statistical models by score matching", 2005): the loss
// is |s|^2 / 2 + the trace of the Jacobian of s. ml::vmap computes the Jacobian of each sample. The
// program prints the error relative to the exact score, and fails if it is 0.2 or more.
// examples/python/score_matching.py is the same program. Usage: score_matching
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t count = 256;  // samples of a batch

using Point = std::array<double, 2>;
constexpr std::array<Point, 2> centres{{{-1.5, 0}, {1.5, 0.5}}};  // of two normal distributions

// A model with the score and the loss of one point, [1, 2].
ml::Model compose() {
  ml::Model net;
  net |= ml::Linear({.dimension = 32})({{"input", "x"}, {"output", "h1"}});
  net |= ml::Tanh()({{"input", "h1"}, {"output", "h2"}});
  net |= ml::Linear({.dimension = 32})({{"input", "h2"}, {"output", "h3"}});
  net |= ml::Tanh()({{"input", "h3"}, {"output", "h4"}});
  net |= ml::Linear({.dimension = 2})({{"input", "h4"}, {"output", "score"}});
  ml::Model point;
  point |= ml::Jacobian(net, {.of = "score", .wrt = {"x"}}, ml::JacobianMode::forward)(
      {{"x", "x"}, {"score", "score"}, {"x.jacobian", "slopes"}});
  const ml::Connection score = point["score"], slopes = point["slopes"].reshape({4});
  const ml::Connection trace = slopes[0] + slopes[3];
  point |= ml::Buffer()({{"input", (score * score).sum() * 0.5 + trace}, {"output", "loss"}});
  return point;
}

ml::Tensor draw(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> points;
  for (int64_t i = 0; i < count; ++i) {
    const Point& centre = centres[random() % 2];
    for (const double at : centre) points.push_back(at + normal(random));
  }
  return ml::Tensor::of({count, 1, 2}, points);
}

Point exact_score(const Point& x) {
  Point score{};
  double total = 0;
  for (const Point& centre : centres) {
    const Point away{centre[0] - x[0], centre[1] - x[1]};
    const double weight = std::exp(-(away[0] * away[0] + away[1] * away[1]) / 2);
    total += weight;
    for (size_t axis = 0; axis < 2; ++axis) score[axis] += weight * away[axis];
  }
  for (double& element : score) element /= total;
  return score;
}

double error_of_score() {
  std::mt19937_64 random(0);
  ml::TrainModel train(ml::vmap(compose(), {.in_axes = {{"x", 0}}}));
  train.add_loss(ml::Buffer(), {{"input", "loss"}}, {.reduce_steps = {ml::Mean()}});
  const auto compiled = ml::compile(train, ml::cpu({.dtype = ml::DType::float64}),
                                    {.shapes = {{"x", {count, 1, 2}}}, .data_keys = {"x"}});
  ml::TensorMap params = compiled.get_parameters(0);
  ml::Adam optimizer({.lr = 3e-3});
  ml::TrainingStep step(compiled, optimizer);
  for (int number = 0; number <= 2000; ++number) {
    const double loss = step(params, {{"x", draw(random)}}).at("final_cost").item();
    if (number % 500 == 0) std::printf("step %4d: loss %7.3f\n", number, loss);
  }
  const ml::Tensor x = draw(random);
  const ml::Tensor scores = compiled.infer(params, {{"x", x}}).at("score");
  double error = 0, size = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Point exact = exact_score({x.at_as_double(2 * i), x.at_as_double(2 * i + 1)});
    for (int64_t axis = 0; axis < 2; ++axis) {
      const double wanted = exact[static_cast<size_t>(axis)];
      error += std::pow(scores.at_as_double(2 * i + axis) - wanted, 2);
      size += wanted * wanted;
    }
  }
  std::printf("error of the score: %.3f\n", std::sqrt(error / size));
  return std::sqrt(error / size);
}

}  // namespace

int main() try { return error_of_score() < 0.2 ? 0 : 1; } catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
