// Elements that become one: sums, and the largest and smallest.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// One way of making one of many. Totals are doubles, so that many small elements are not lost in a
// sum.
template <typename T>
struct ReductionKernel {
  double start;                                             // the total of nothing
  double (*row)(const T* x, int64_t count);                 // of a row
  void (*rows)(const T* x, double* totals, int64_t count);  // of each total and an element
  double (*both)(double left, double right);
};

template <typename T>
struct ReductionKernels {
  ReductionKernel<T> sum, max, min;  // the largest and smallest are NaN where an element is
};

template <typename T>
const ReductionKernels<T>& reduction_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
