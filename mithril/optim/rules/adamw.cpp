// AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019).
#include "mithril/optim/rules/adam_formula.hpp"

namespace mithril {

OptimizerDef define_adamw() {
  return {.name = "AdamW",
          .doc = "Adam with decoupled weight decay, as torch.optim.AdamW.",
          .options = {{"betas", Tuple{0.9, 0.999}, OptionRange::from_0_below_1},
                      {"eps", 1e-8},
                      {"weight_decay", 1e-2}},
          .rule = rule_of<AdamFormula<true>>};
}

}  // namespace mithril
