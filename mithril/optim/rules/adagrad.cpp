// Adagrad (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011).
#include "mithril/optim/optimizer_def.hpp"

namespace mithril {
namespace {

struct AdagradFormula {
  double lr_decay, start, eps;

  explicit AdagradFormula(const OptimizerSettings& options)
      : lr_decay(options.real("lr_decay")),
        start(options.real("initial_accumulator_value")),
        eps(options.real("eps")) {}

  std::vector<OptimizerSlot> slots() const { return {{"sum", start}}; }

  std::vector<double> numbers(std::int64_t steps, const StepRates& rates) const {
    return {rates.lr / (1 + static_cast<double>(steps - 1) * lr_decay)};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    const Value direction = update.decayed_gradient();
    Value& sum = update.slots[0];
    sum = sum + direction * direction;
    const Value step = direction * update.numbers[0];
    update.param = update.param - step / (square_root(sum) + update.constant(eps));
  }
};

}  // namespace

OptimizerDef define_adagrad() {
  return {.name = "Adagrad",
          .doc =
              "Divides each gradient by the square root of the sum of its squares in all steps, as "
              "torch.optim.Adagrad.",
          .lr = 1e-2,
          .options = {{"lr_decay", 0.0},
                      {"weight_decay", 0.0},
                      {"initial_accumulator_value", 0.0},
                      {"eps", 1e-10}},
          .rule = rule_of<AdagradFormula>};
}

}  // namespace mithril
