// Stochastic gradient descent.
#pragma once

#include <vector>

#include "mithril/optim/optimizer.hpp"

namespace mithril {

struct SGDOptions {
  Schedule lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  // needs a momentum and no dampening
  std::vector<ParameterGroup> groups = {};
};

// The update rule of torch.optim.SGD. Example:
//   ml::SGD optimizer({.lr = 0.1, .momentum = 0.9});
//   optimizer.step(params, gradients);
class SGD final : public Optimizer {
 public:
  explicit SGD(SGDOptions options = {});

  std::vector<double> numbers(std::int64_t steps, const StepRates& rates) const override;
  void add_to_graph(GraphMove& move) const override;
  OptimizerOptions options() const override;

 private:
  void update(Tensor& param, const Tensor& gradient, ParameterMemory& memory,
              const std::vector<double>& changing, const StepRates& rates) override;
  double weight_decay() const override { return options_.weight_decay; }
  void set_options(const OptimizerOptions& options) override;
  static void check(const SGDOptions& options);
  SGDOptions options_;
};

}  // namespace mithril
