// Lion (Chen et al., "Symbolic discovery of optimization algorithms", 2023, algorithm 2).
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

struct LionFormula {
  double beta1, beta2;

  explicit LionFormula(const OptimizerSettings& options)
      : beta1(options.pair("betas").first), beta2(options.pair("betas").second) {}

  std::vector<OptimizerSlot> slots() const { return {{"exp_avg"}}; }

  // The rate, and what decay leaves of the parameter.
  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    return {step.lr, 1 - step.lr * step.weight_decay};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    const Value gradient = update.gradient;
    Value& mean = update.slots[0];
    const Value direction = sign_of(mean + (gradient - mean) * update.constant(1 - beta1));
    mean = mean + (gradient - mean) * update.constant(1 - beta2);
    if (update.weight_decay != 0) update.param = update.param * update.step_scalars[1];
    update.param = update.param - direction * update.step_scalars[0];
  }
};

}  // namespace

OptimizerDef define_lion() {
  return {
      .name = "Lion",
      .doc = "Steps by the learning rate times the sign of a running mean of gradients.",
      .source =
          "Chen et al., \"Symbolic discovery of optimization algorithms\", 2023, "
          "https://arxiv.org/abs/2302.06675, algorithm 2",
      .lr = 1e-4,
      .options =
          {{.name = "betas",
            .value = Tuple{0.9, 0.99},
            .range = OptionRange::from_0_below_1,
            .doc = "decay rates of the running mean: in the step, and in the mean that is kept"},
           {.name = "weight_decay",
            .value = 0.0,
            .doc = "factor of the parameter that a step subtracts, times the learning rate"}},
      .rule = rule_of<LionFormula>};
}

}  // namespace mithril
