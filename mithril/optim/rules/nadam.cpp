// NAdam (Dozat, "Incorporating Nesterov momentum into Adam", 2016).
#include <cmath>

#include "mithril/optim/optimizer_def.hpp"

namespace mithril {
namespace {

struct NAdamFormula {
  double beta1, beta2, eps, momentum_decay;
  bool decoupled;

  explicit NAdamFormula(const OptimizerSettings& options)
      : beta1(options.pair("betas").first),
        beta2(options.pair("betas").second),
        eps(options.real("eps")),
        momentum_decay(options.real("momentum_decay")),
        decoupled(options.flag("decoupled_weight_decay")) {}

  std::vector<OptimizerSlot> slots() const { return {{"exp_avg"}, {"exp_avg_sq"}}; }

  double momentum(double step) const {
    return beta1 * (1 - 0.5 * std::pow(0.96, step * momentum_decay));
  }

  // The product of the momenta of all steps. 1 minus it is 1 once it is below the limit.
  double momentum_product(std::int64_t steps) const {
    constexpr double limit = 1e-20;
    const double factor = std::pow(0.96, momentum_decay);
    double product = 1, decay = 1;
    for (std::int64_t step = 0; step < steps && product > limit; ++step) {
      decay *= factor;
      product *= beta1 * (1 - 0.5 * decay);
    }
    return product;
  }

  // The rates of the gradient and of the mean, what roots of the squares are multiplied with, and
  // what decay leaves of the parameter.
  std::vector<double> step_scalars(std::int64_t steps, const StepRates& rates) const {
    const auto taken = static_cast<double>(steps);
    const double product = momentum_product(steps), next = momentum(taken + 1);
    return {rates.lr * (1 - momentum(taken)) / (1 - product),
            rates.lr * next / (1 - product * next), 1 / std::sqrt(1 - std::pow(beta2, taken)),
            1 - rates.lr * rates.weight_decay};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    Value &mean = update.slots[0], &square = update.slots[1];
    if (decoupled && update.weight_decay != 0) update.param = update.param * update.step_scalars[3];
    const Value direction = decoupled ? update.gradient : update.decayed_gradient();
    mean = mean + (direction - mean) * update.constant(1 - beta1);
    const Value kept = square * update.constant(beta2);
    square = kept + direction * update.constant(1 - beta2) * direction;
    const Value scale = square_root(square) * update.step_scalars[2] + update.constant(eps);
    const Value of_gradient = direction * update.step_scalars[0],
                of_mean = mean * update.step_scalars[1];
    update.param = update.param - (of_gradient + of_mean) / scale;
  }
};

}  // namespace

OptimizerDef define_nadam() {
  return {.name = "NAdam",
          .doc = "Adam with Nesterov momentum, as torch.optim.NAdam.",
          .source = "Dozat, \"Incorporating Nesterov momentum into Adam\", 2016",
          .lr = 2e-3,
          .options = {{.name = "betas",
                       .value = Tuple{0.9, 0.999},
                       .range = OptionRange::from_0_below_1,
                       .doc = "decay rates of the running means of the gradient and of its square"},
                      {.name = "eps",
                       .value = 1e-8,
                       .doc = "term that is added to the denominator for numerical stability"},
                      {.name = "weight_decay",
                       .value = 0.0,
                       .doc = "factor of the parameter that is added to its gradient"},
                      {.name = "momentum_decay",
                       .value = 4e-3,
                       .doc = "decay of the momentum: step t uses betas[0] * (1 - 0.5 * 0.96 ** (t "
                              "* momentum_decay))"},
                      {.name = "decoupled_weight_decay",
                       .value = false,
                       .doc = "whether weight decay shrinks the parameter itself, as in AdamW"}},
          .rule = rule_of<NAdamFormula>};
}

}  // namespace mithril
