// What the graph of a training step reads of its optimizer.
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/update_rule.hpp"

namespace mithril {

std::vector<double> Optimizer::step_scalars(std::int64_t steps, const StepRates& rates) const {
  return rule_->step_scalars(steps, rates);
}

std::vector<Expression> Optimizer::step_scalars(const StepNumbers<Expression>& step) const {
  return rule_->step_scalars(step);
}

void Optimizer::add_to_graph(ParameterUpdate<Expression>& update) const {
  rule_->add_to_graph(update);
}

}  // namespace mithril
