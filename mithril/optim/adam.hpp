// Adam, and AdamW, whose weight decay does not pass through the gradient.
#pragma once

#include <utility>
#include <vector>

#include "mithril/optim/optimizer.hpp"

namespace mithril {

struct AdamOptions {
  Schedule lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
  std::vector<ParameterGroup> groups = {};
};

struct AdamWOptions {
  Schedule lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  std::vector<ParameterGroup> groups = {};
};

// The update rule of torch.optim.Adam (Kingma and Ba, "Adam: a method for stochastic optimization",
// 2015). Example:
//   ml::Adam optimizer({.lr = 1e-3});
//   optimizer.step(params, gradients);
class Adam : public Optimizer {
 public:
  explicit Adam(AdamOptions options = {}) : Adam(options, false) {}

  // The rate with the correction of the mean, what roots of the squares are multiplied with, and
  // what decay leaves of the parameter.
  std::vector<double> numbers(std::int64_t steps, const StepRates& rates) const override;
  void add_to_graph(GraphMove& move) const override;
  OptimizerOptions options() const override;

 protected:
  Adam(AdamOptions options, bool decoupled);

 private:
  void update(Tensor& param, const Tensor& gradient, ParameterMemory& memory,
              const std::vector<double>& changing, const StepRates& rates) final;
  double weight_decay() const final { return options_.weight_decay; }
  void set_options(const OptimizerOptions& options) final;
  static void check(const AdamOptions& options);
  AdamOptions options_;
  bool decoupled_;  // weight decay shrinks the parameter itself
};

// The update rule of torch.optim.AdamW (Loshchilov and Hutter, "Decoupled weight decay
// regularization", 2019).
class AdamW final : public Adam {
 public:
  explicit AdamW(AdamWOptions options = {})
      : Adam({options.lr, options.betas, options.eps, options.weight_decay, options.groups}, true) {
  }
};

}  // namespace mithril
