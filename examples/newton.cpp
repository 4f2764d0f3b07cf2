// Fits a logistic regression by Newton's method: conjugate gradients on products with the Hessian,
// which is never made (ml::hvp). The program prints the norm of the gradient of each step, which
// falls quadratically, and fails if it is 1e-10 or more after seven steps.
// examples/python/newton.py is the same program. Usage: newton
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t rows = 200, features = 10;

using Vector = std::vector<double>;
using Multiply = std::function<Vector(const Vector&)>;

ml::Connection input(const char* name, int64_t length, int64_t columns) {
  return ml::Connection(ml::IOKey{.name = name, .shape = ml::ShapeSpec{length, columns}});
}

// A model with the cost of weights w, its gradient, and its Hessian times v.
ml::Model compose() {
  const ml::Connection x = input("x", rows, features), y = input("y", rows, 1);
  const ml::Connection w = input("w", features, 1), v = input("v", features, 1);
  const ml::Connection scores = ml::apply("matmul", {x, w});
  const ml::Connection cost =
      (ml::apply("softplus", {scores}) - y * scores).mean() + (w * w).sum() * 0.005;
  return ml::Model::create({{"cost", cost},
                            {"gradient", ml::gradient(cost, w)},
                            {"product", ml::hvp(cost, {w}, {v}).front()}});
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Adds scale * b to a.
void add(Vector& a, double scale, const Vector& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

// The solution of A s = b by conjugate gradients.
Vector solve(const Multiply& multiply, const Vector& b) {
  Vector s(b.size()), r = b, p = b;
  double before = dot(r, r);
  for (size_t i = 0; i < 2 * b.size() && before >= 1e-24; ++i) {
    const Vector product = multiply(p);
    const double step = before / dot(p, product);
    add(s, step, p);
    add(r, -step, product);
    const double after = dot(r, r);
    Vector next = r;
    add(next, after / before, p);
    p = next;
    before = after;
  }
  return s;
}

Vector values_of(const ml::Tensor& tensor) {
  Vector values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at_as_double(i));
  return values;
}

double norm_after_seven_steps() {
  std::mt19937_64 random(0);
  std::normal_distribution<double> normal;
  Vector truth(features), x, y;
  for (double& weight : truth) weight = normal(random);
  for (int64_t row = 0; row < rows; ++row) {
    double score = normal(random);
    for (const double weight : truth) {
      x.push_back(normal(random));
      score += weight * x.back();
    }
    y.push_back(score > 0 ? 1 : 0);
  }
  const auto compiled = ml::compile(compose(), ml::cpu({.dtype = ml::DType::float64}),
                                    {.data_keys = {"x", "y", "w", "v"}});
  Vector w(features);
  const auto evaluate = [&](const Vector& v) {
    return compiled.evaluate({}, {{"x", ml::Tensor::of({rows, features}, x)},
                                  {"y", ml::Tensor::of({rows, 1}, y)},
                                  {"w", ml::Tensor::of({features, 1}, w)},
                                  {"v", ml::Tensor::of({features, 1}, v)}});
  };
  double norm = 0;
  for (int number = 0; number < 8; ++number) {
    const ml::TensorMap outputs = evaluate(Vector(features));
    const Vector gradient = values_of(outputs.at("gradient"));
    norm = std::sqrt(dot(gradient, gradient));
    std::printf("step %d: cost %.6f, gradient %.1e\n", number, outputs.at("cost").item(), norm);
    const Multiply multiply = [&](const Vector& v) { return values_of(evaluate(v).at("product")); };
    add(w, -1, solve(multiply, gradient));
  }
  return norm;
}

}  // namespace

int main() try {
  return norm_after_seven_steps() < 1e-10 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
