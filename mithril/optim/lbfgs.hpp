// Limited-memory BFGS, which minimises a loss of all parameters together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct LBFGSOptions {
  double lr = 1;
  std::int64_t max_iter = 20;            // iterations of a step
  std::optional<std::int64_t> max_eval;  // evaluations of a step; none: max_iter * 5 / 4
  double tolerance_grad = 1e-7;          // a step ends when no gradient is larger
  double tolerance_change = 1e-9;        // a step ends when parameters or loss change by less
  std::int64_t history_size = 100;       // iterations that the direction remembers
  bool strong_wolfe = false;             // line search by the strong Wolfe conditions
};

// Computes the steps of torch.optim.LBFGS (Nocedal and Wright, Numerical Optimization, algorithms
// 7.4, 3.5 and 3.6) in float64, for parameters of every floating-point dtype. A step evaluates the
// model several times, so it needs the whole data set or a large batch. Example:
//   ml::LBFGS lbfgs({.strong_wolfe = true});
//   const auto loss_at = [&](const ml::TensorMap& params) {
//     auto [outputs, gradients] = compiled.evaluate(params, data, ml::of_cost);
//     return std::pair(outputs.at("loss").item(), std::move(gradients));
//   };
//   for (int i = 0; i < 10; ++i) double loss = lbfgs.step(params, loss_at);
class LBFGS {
 public:
  // The loss at these parameters and its gradients, the same keys at each call.
  using Closure = std::function<std::pair<double, TensorMap>(const TensorMap& params)>;

  // ValueError E0406 for an option out of range.
  explicit LBFGS(const LBFGSOptions& options = {});

  // Moves the parameters that have a gradient, in place, and returns the loss before the step.
  // After an exception of the closure the parameters are those before the step, and the history is
  // empty. NameError E0609 for a gradient of no parameter, ShapeError E0208 if dims differ,
  // TypeError E0382 for a parameter that is not floating-point, StateError E0904 if the history is
  // one of other parameters.
  double step(TensorMap& params, const Closure& closure);

  const LBFGSOptions& options() const { return options_; }
  // The history, with the names of PyTorch: float64 "d", "prev_flat_grad" [parameters], "old_dirs",
  // "old_stps" [history, parameters], "t", "H_diag", "prev_loss", and int64 "n_iter", "func_evals".
  TensorMap state_dict() const;
  // Restores a state_dict. StateError E0905 if an entry is missing, E0904 for one of other dims.
  void load_state_dict(const TensorMap& state);

 private:
  using Vector = std::vector<double>;  // of all parameters

  struct History {
    std::int64_t iterations = 0, evaluations = 0;
    Vector direction, gradient;  // of the last iteration
    double step_size = 0, scale = 1, loss = 0;
    std::vector<Vector> gradient_changes, steps;  // the oldest first
  };

  class Evaluations;
  void add_to_history(const Vector& gradient);
  Vector next_direction(const Vector& gradient) const;
  void iterate(Evaluations& at, double loss, Vector gradient);

  LBFGSOptions options_;
  History history_;
};

}  // namespace mithril
