// The update of Adam and AdamW.
#pragma once

#include "mithril/optim/update_rule.hpp"

namespace mithril {

// decoupled: weight decay shrinks the parameter itself.
template <bool decoupled>
struct AdamFormula {
  double beta1, beta2, eps;

  explicit AdamFormula(const OptimizerSettings& options)
      : beta1(options.pair("betas").first),
        beta2(options.pair("betas").second),
        eps(options.real("eps")) {}

  std::vector<OptimizerSlot> slots() const { return {{"exp_avg"}, {"exp_avg_sq"}}; }

  // The rate with the correction of the mean, what roots of the squares are multiplied with, and
  // what decay leaves of the parameter.
  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    const Number correction1 = 1 - power_of(beta1, step.steps);
    const Number correction2 = 1 - power_of(beta2, step.steps);
    std::vector<Number> step_scalars{step.lr / correction1, 1 / square_root(correction2)};
    if (decoupled) step_scalars.push_back(1 - step.lr * step.weight_decay);
    return step_scalars;
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    Value &mean = update.slots[0], &square = update.slots[1];
    if (decoupled && update.weight_decay != 0) update.param = update.param * update.step_scalars[2];
    const Value direction = decoupled ? update.gradient : update.decayed_gradient();
    mean = mean + (direction - mean) * update.constant(1 - beta1);
    // Names fix the order of the nodes: compilers evaluate the operands of + in different orders.
    const Value kept = square * update.constant(beta2);
    square = kept + direction * update.constant(1 - beta2) * direction;
    const Value step = mean * update.step_scalars[0];
    const Value scale = square_root(square) * update.step_scalars[1] + update.constant(eps);
    update.param = update.param - step / scale;
  }
};

}  // namespace mithril
