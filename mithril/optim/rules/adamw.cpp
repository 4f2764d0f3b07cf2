// AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019).
#include "mithril/optim/rules/adam_formula.hpp"

namespace mithril {

OptimizerDef define_adamw() {
  return {
      .name = "AdamW",
      .doc = "Adam with decoupled weight decay, as torch.optim.AdamW.",
      .source =
          "Loshchilov and Hutter, \"Decoupled weight decay regularization\", 2019, "
          "https://arxiv.org/abs/1711.05101",
      .options = {{.name = "betas",
                   .value = Tuple{0.9, 0.999},
                   .range = OptionRange::from_0_below_1,
                   .doc = "decay rates of the running means of the gradient and of its square"},
                  {.name = "eps",
                   .value = 1e-8,
                   .doc = "term that is added to the denominator for numerical stability"},
                  {.name = "weight_decay",
                   .value = 1e-2,
                   .doc =
                       "factor of the parameter that a step subtracts, times the learning rate"}},
      .rule = rule_of<AdamFormula<true>>};
}

}  // namespace mithril
