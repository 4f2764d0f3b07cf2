// Adagrad (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011).
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

struct AdagradFormula {
  double lr_decay, start, eps;

  explicit AdagradFormula(const OptimizerSettings& options)
      : lr_decay(options.real("lr_decay")),
        start(options.real("initial_accumulator_value")),
        eps(options.real("eps")) {}

  std::vector<OptimizerSlot> slots() const { return {{"sum", start}}; }

  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    return {step.lr / (1 + (step.steps - 1) * lr_decay)};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    const Value direction = update.decayed_gradient();
    Value& sum = update.slots[0];
    sum = sum + direction * direction;
    const Value step = direction * update.step_scalars[0];
    update.param = update.param - step / (square_root(sum) + update.constant(eps));
  }
};

}  // namespace

OptimizerDef define_adagrad() {
  return {
      .name = "Adagrad",
      .doc =
          "Divides each gradient by the root of the sum of its squares in all steps, as "
          "torch.optim.Adagrad.",
      .source =
          "Duchi, Hazan and Singer, \"Adaptive subgradient methods for online learning and "
          "stochastic optimization\", 2011",
      .lr = 1e-2,
      .options = {{.name = "lr_decay",
                   .value = 0.0,
                   .doc = "decay of the learning rate: step t uses lr / (1 + (t - 1) * lr_decay)"},
                  {.name = "weight_decay",
                   .value = 0.0,
                   .doc = "factor of the parameter that is added to its gradient"},
                  {.name = "initial_accumulator_value",
                   .value = 0.0,
                   .doc = "initial value of the sum of squares"},
                  {.name = "eps",
                   .value = 1e-10,
                   .doc = "term that is added to the denominator for numerical stability"}},
      .rule = rule_of<AdagradFormula>};
}

}  // namespace mithril
