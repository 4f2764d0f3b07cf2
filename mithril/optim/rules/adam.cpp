// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015).
#include "mithril/optim/rules/adam_formula.hpp"

namespace mithril {

OptimizerDef define_adam() {
  return {.name = "Adam",
          .doc = "Adam (https://arxiv.org/abs/1412.6980), as torch.optim.Adam.",
          .options = {{"betas", Tuple{0.9, 0.999}, OptionRange::from_0_below_1},
                      {"eps", 1e-8},
                      {"weight_decay", 0.0}},
          .rule = rule_of<AdamFormula<false>>};
}

}  // namespace mithril
