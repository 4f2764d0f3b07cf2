// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015).
#include "mithril/optim/rules/adam_formula.hpp"

namespace mithril {

OptimizerDef define_adam() {
  return {.name = "Adam",
          .doc =
              "Divides a running mean of the gradient by the root of one of its square, as "
              "torch.optim.Adam.",
          .source =
              "Kingma and Ba, \"Adam: a method for stochastic optimization\", 2015, "
              "https://arxiv.org/abs/1412.6980",
          .options = {{.name = "betas",
                       .value = Tuple{0.9, 0.999},
                       .range = OptionRange::from_0_below_1,
                       .doc = "decay rates of the running means of the gradient and of its square"},
                      {.name = "eps",
                       .value = 1e-8,
                       .doc = "term that is added to the denominator for numerical stability"},
                      {.name = "weight_decay",
                       .value = 0.0,
                       .doc = "factor of the parameter that is added to its gradient"}},
          .rule = rule_of<AdamFormula<false>>};
}

}  // namespace mithril
