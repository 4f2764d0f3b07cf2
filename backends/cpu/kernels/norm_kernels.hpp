// Normalising rows of elements that lie side by side, and its gradients.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Of one row of layer_norm: its mean, and the reciprocal of its standard deviation.
template <typename T>
struct RowMoments {
  T mean, rstd;
};

template <typename T>
struct NormKernels {
  // to = (x - mean) * rstd * weight + bias. A weight that is null is 1, a bias 0; `to` may be x.
  // What stands `next` elements behind both is asked for meanwhile.
  RowMoments<T> (*normalise)(const T* x, const T* weight, const T* bias, double eps, T* to,
                             int64_t count, int64_t next);
  // The gradient of the row; `to` may be x or the gradient that comes in.
  void (*input_grad)(const T* grad, const T* x, RowMoments<T> moments, const T* weight, T* to,
                     int64_t count);
  // weight_grad += grad * (x - mean) * rstd, bias_grad += grad
  void (*add_parameter_grads)(const T* grad, const T* x, RowMoments<T> moments, T* weight_grad,
                              T* bias_grad, int64_t count);
};

template <typename T>
const NormKernels<T>& norm_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
