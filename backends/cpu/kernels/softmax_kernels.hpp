// Softmax, its gradients and attention weights for contiguous rows.
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

}  // namespace mithril::cpu_backend
