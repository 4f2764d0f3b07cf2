// Regression by Gaussian processes.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct GPRLossOptions {
  bool robust = false;  // the logarithm is the robust one
};
// The negative logarithm of the likelihood of labels. Ports: labels [N, 1], mu [N, 1], L [N, N],
// the Cholesky factor of K_term [N, N], alpha [N, 1], output.
Model GPRLoss(const GPRLossOptions& options = {});

// Ports: label [N, 1], mu [N, 1], s [1], the variance of the noise, k [N, N], k_star [N, N], loss,
// prediction [N, 1], confidence [N, 1].
Model GaussProcessRegressionCore();

}  // namespace mithril
