// Layer norm of contiguous rows, and its gradients.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Statistics of one row: its mean, and the reciprocal of its standard deviation.
template <typename T>
struct RowMoments {
  T mean, rstd;
};

template <typename T>
struct NormKernels {
  // to = (x - mean) * rstd * weight + bias, with rstd = 1 / sqrt(variance + eps). A null weight is
  // 1, a null bias 0. `to` may be x. Prefetches x and `to` at `next` elements ahead.
  RowMoments<T> (*normalise)(const T* x, const T* weight, const T* bias, double eps, T* to,
                             int64_t count, int64_t next);
  // The gradient of x. `to` may be x or `grad`.
  void (*input_grad)(const T* grad, const T* x, RowMoments<T> moments, const T* weight, T* to,
                     int64_t count);
  // weight_grad += grad * (x - mean) * rstd, bias_grad += grad
  void (*add_parameter_grads)(const T* grad, const T* x, RowMoments<T> moments, T* weight_grad,
                              T* bias_grad, int64_t count);
};

template <typename T>
const NormKernels<T>& norm_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
