// Activations that are formulas of other ops.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct ELUOptions {
  double alpha = 1.0;  // the limit on the left is -alpha
};
// input where it is positive, otherwise alpha (exp(input) - 1) (Clevert et al. 2016). Ports: input
// [...], output [...].
Model ELU(ELUOptions options = {});
// 1.0507 ELU(input) with alpha = 1.67326 (Klambauer et al. 2017). Ports: input [...], output [...].
Model SELU();
// input tanh(softplus(input)) (Misra 2019). Ports: input [...], output [...].
Model Mish();
// input / 6 + 1 / 2, clamped to [0, 1] (Howard et al. 2019). Ports: input [...], output [...].
Model Hardsigmoid();
// input Hardsigmoid(input) (Howard et al. 2019). Ports: input [...], output [...].
Model Hardswish();
// input sigmoid(1.702 input), an approximation of Gelu (https://github.com/hendrycks/GELUs). Ports:
// input [...], output [...].
Model QuickGelu();
// min(max(input, 0), 6) (Howard et al. 2017). Ports: input [...], output [...].
Model Relu6();

}  // namespace mithril
