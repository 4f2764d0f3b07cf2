// Kernels for contiguous rows: softmax, its gradients and attention weights; layer norm and its
// gradients; reductions; scans.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// All arrays have `count` elements; `to` may be one of the sources. Kernels with one source ignore
// `second`. Kernels may prefetch at `next` elements ahead.
template <typename T>
using RowKernel = void (*)(const T* first, const T* second, T* to, int64_t count, int64_t next);

// Attention weights: softmax(scores * scale + bias), or zeros if all scores are -infinity. A null
// bias is 0. `to` may be `scores`.
template <typename T>
using AttendKernel = void (*)(const T* scores, T scale, const T* bias, T* to, int64_t count);

template <typename T>
struct RowKernels {
  RowKernel<T> softmax, log_softmax;            // of `first`
  RowKernel<T> softmax_grad, log_softmax_grad;  // of the gradient and the result
  AttendKernel<T> attend;
};

template <typename T>
const RowKernels<T>& row_kernels(Instructions instructions = best_instructions());

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

// One reduction. Totals are doubles, so that a sum does not lose small elements.
template <typename T>
struct ReductionKernel {
  double start;                                             // the total of no elements
  double (*row)(const T* x, int64_t count);                 // reduces a row
  void (*rows)(const T* x, double* totals, int64_t count);  // totals[i] = both(totals[i], x[i])
  double (*both)(double left, double right);
};

template <typename T>
struct ReductionKernels {
  ReductionKernel<T> sum, max, min;  // max and min are NaN if an element is NaN
};

template <typename T>
const ReductionKernels<T>& reduction_kernels(Instructions instructions = best_instructions());

// Moves the states of `count` columns on by one row. `to` gets the states, or those before if
// `exclusive`; it may be x or `decay`. Prefetches at `next` elements ahead.
template <typename T>
using ScanKernel = void (*)(const T* x, const T* decay, double* states, T* to, int64_t count,
                            bool exclusive, int64_t next);

template <typename T>
struct ScanKernels {
  ScanKernel<T> recurrence;    // state = decay * state + x
  ScanKernel<T> sum, product;  // of state and x; ignore `decay`
};

template <typename T>
const ScanKernels<T>& scan_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
