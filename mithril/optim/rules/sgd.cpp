// Stochastic gradient descent, with momentum.
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

struct SGDFormula {
  double momentum, dampening;
  bool nesterov;

  explicit SGDFormula(const OptimizerSettings& options)
      : momentum(options.real("momentum")),
        dampening(options.real("dampening")),
        nesterov(options.flag("nesterov")) {
    if (!nesterov) return;
    require_option(momentum > 0, "momentum", momentum, "more than 0 with nesterov");
    require_option(dampening == 0, "dampening", dampening, "0 with nesterov");
  }

  std::vector<OptimizerSlot> slots() const {
    if (momentum == 0) return {};
    return {{"momentum_buffer"}};
  }

  // The rate, and the factor of the gradient in the momentum, which is 1 in the first step.
  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    if (dampening == 0) return {step.lr};
    return {step.lr, 1 - dampening * at_most_1(step.steps - 1)};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    Value direction = update.decayed_gradient();
    if (momentum != 0) {
      const auto kept = update.constant(momentum);
      Value& buffer = update.slots[0];
      const Value fresh = dampening == 0 ? direction : direction * update.step_scalars[1];
      buffer = buffer * kept + fresh;
      direction = nesterov ? direction + buffer * kept : buffer;
    }
    update.param = update.param - direction * update.step_scalars[0];
  }
};

}  // namespace

OptimizerDef define_sgd() {
  return {
      .name = "SGD",
      .doc = "Stochastic gradient descent, with momentum if it is above 0, as torch.optim.SGD.",
      .source =
          "Sutskever et al., \"On the importance of initialization and momentum in deep "
          "learning\", 2013",
      .options =
          {{.name = "momentum",
            .value = 0.0,
            .doc = "factor of the previous update that each update keeps"},
           {.name = "dampening",
            .value = 0.0,
            .doc =
                "fraction of the gradient that does not enter the momentum after the first step"},
           {.name = "weight_decay",
            .value = 0.0,
            .doc = "factor of the parameter that is added to its gradient"},
           {.name = "nesterov",
            .value = false,
            .doc =
                "whether to use Nesterov momentum, which needs momentum above 0 and dampening 0"}},
      .rule = rule_of<SGDFormula>};
}

}  // namespace mithril
