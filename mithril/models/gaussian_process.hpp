// Regression by Gaussian processes.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// (L Lᵀ)⁻¹ label_mu_diff, the weights of the labels. Ports: label_mu_diff [N, 1], L [N, N], the
// Cholesky factor of K_term [N, N], which is not read, output [N, 1].
Model GPRAlpha();

// Kᵀ (L Lᵀ)⁻¹ K, the variance that the process explains. Ports: K [N, M], K_term [N, N], which is
// not read, L [N, N], the Cholesky factor of K_term, output [M, M].
Model GPRVOuter();

struct GPRLossOptions {
  bool robust = false;  // the logarithm is the robust one
};
// The negative log-likelihood of the labels. Ports: labels [N, 1], mu [N, 1], L [N, N], the
// Cholesky factor of K_term [N, N], alpha [N, 1], output.
Model GPRLoss(const GPRLossOptions& options = {});

// Ports: label [N, 1], mu [N, 1], s [1], the variance of the noise, k [N, N], k_star [N, N], loss,
// prediction [N, 1], confidence [N, 1].
Model GaussProcessRegressionCore();

}  // namespace mithril
