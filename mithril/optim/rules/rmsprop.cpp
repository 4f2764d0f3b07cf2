// RMSprop (Hinton, "Neural networks for machine learning", lecture 6), centered as by Graves
// ("Generating sequences with recurrent neural networks", 2013).
#include "mithril/optim/optimizer_def.hpp"

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

  std::vector<double> numbers(std::int64_t, const StepRates& rates) const { return {rates.lr}; }

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
    update.param = update.param - step * update.numbers[0];
  }
};

}  // namespace

OptimizerDef define_rmsprop() {
  return {
      .name = "RMSprop",
      .doc =
          "Divides each gradient by the square root of a running mean of its squares, as "
          "torch.optim.RMSprop. With centered=True, the running mean of the gradient is squared "
          "and subtracted before the root.",
      .lr = 1e-2,
      .options = {{"alpha", 0.99},
                  {"eps", 1e-8},
                  {"weight_decay", 0.0},
                  {"momentum", 0.0},
                  {"centered", false}},
      .rule = rule_of<RMSpropFormula>};
}

}  // namespace mithril
