// RMSprop (Hinton, "Neural networks for machine learning", lecture 6), centered as by Graves
// ("Generating sequences with recurrent neural networks", 2013).
#include "mithril/optim/update_rule.hpp"

namespace mithril {
namespace {

struct RMSpropFormula {
  double alpha, eps, momentum;
  bool centered;

  explicit RMSpropFormula(const OptimizerSettings& options)
      : alpha(options.real("alpha")),
        eps(options.real("eps")),
        momentum(options.real("momentum")),
        centered(options.flag("centered")) {}

  std::vector<OptimizerSlot> slots() const {
    std::vector<OptimizerSlot> slots{{"square_avg"}};
    if (centered) slots.push_back({"grad_avg"});
    if (momentum > 0) slots.push_back({"momentum_buffer"});
    return slots;
  }

  template <typename Number>
  std::vector<Number> step_scalars(const StepNumbers<Number>& step) const {
    return {step.lr};
  }

  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    const Value direction = update.decayed_gradient();
    Value& square = update.slots[0];
    // Names fix the order of the nodes: compilers evaluate the operands of + in different orders.
    const Value kept = square * update.constant(alpha);
    square = kept + direction * update.constant(1 - alpha) * direction;
    Value variance = square;
    if (centered) {
      Value& mean = update.slots[1];
      mean = mean + (direction - mean) * update.constant(1 - alpha);
      variance = at_least_0(square - mean * mean);  // rounding may make it negative
    }
    Value step = direction / (square_root(variance) + update.constant(eps));
    if (momentum > 0) {
      Value& buffer = update.slots[centered ? 2 : 1];
      buffer = buffer * update.constant(momentum) + step;
      step = buffer;
    }
    update.param = update.param - step * update.step_scalars[0];
  }
};

}  // namespace

OptimizerDef define_rmsprop() {
  return {.name = "RMSprop",
          .doc =
              "Divides each gradient by the root of a running mean of its square, as "
              "torch.optim.RMSprop.",
          .source =
              "Hinton, \"Neural networks for machine learning\", lecture 6, 2012; centered: "
              "Graves, \"Generating sequences with recurrent neural networks\", 2013, "
              "https://arxiv.org/abs/1308.0850",
          .lr = 1e-2,
          .options = {{.name = "alpha", .value = 0.99, .doc = "decay rate of the running means"},
                      {.name = "eps",
                       .value = 1e-8,
                       .doc = "term that is added to the denominator for numerical stability"},
                      {.name = "weight_decay",
                       .value = 0.0,
                       .doc = "factor of the parameter that is added to its gradient"},
                      {.name = "momentum",
                       .value = 0.0,
                       .doc = "factor of the previous update that each update keeps"},
                      {.name = "centered",
                       .value = false,
                       .doc = "whether the square of a running mean of the gradient is subtracted "
                              "before the root"}},
          .rule = rule_of<RMSpropFormula>};
}

}  // namespace mithril
