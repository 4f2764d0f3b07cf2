// What is done with a row of elements that lie side by side: softmax and its like.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// `to` has as many elements as the sources, and may be one of them. Where one source is read, the
// second is not looked at. What stands `next` elements behind them is asked for meanwhile.
template <typename T>
using RowKernel = void (*)(const T* first, const T* second, T* to, int64_t count, int64_t next);

// The weights of attention: softmax(scores * scale + bias), or zeros where nothing is left (all is
// -infinity). A bias that is null is 0; `to` may be the scores.
template <typename T>
using AttendKernel = void (*)(const T* scores, T scale, const T* bias, T* to, int64_t count);

template <typename T>
struct RowKernels {
  RowKernel<T> softmax, log_softmax;            // of the first
  RowKernel<T> softmax_grad, log_softmax_grad;  // of the gradient and the result
  AttendKernel<T> attend;
};

template <typename T>
const RowKernels<T>& row_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
