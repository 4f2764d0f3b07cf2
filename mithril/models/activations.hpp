// Activations that are formulas of other ops.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct ELUOptions {
  double alpha = 1.0;  // the limit on the left is -alpha
};
// input where it is positive, else alpha (exp(input) - 1) (Clevert et al. 2016). Ports: input
// [...], output [...].
Model ELU(ELUOptions options = {});
// 1.0507 ELU(input) with an alpha of 1.67326 (Klambauer et al. 2017). Ports: input [...], output
// [...].
Model SELU();
// input tanh(softplus(input)) (Misra 2019). Ports: input [...], output [...].
Model Mish();
// input / 6 + 1 / 2, between 0 and 1 (Howard et al. 2019). Ports: input [...], output [...].
Model Hardsigmoid();
// input Hardsigmoid(input) (Howard et al. 2019). Ports: input [...], output [...].
Model Hardswish();
// input sigmoid(1.702 input), near to Gelu (https://github.com/hendrycks/GELUs). Ports: input
// [...], output [...].
Model QuickGelu();
// input between 0 and 6 (Howard et al. 2017). Ports: input [...], output [...].
Model Relu6();

}  // namespace mithril
