// Reductions: sum, maximum and minimum.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

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

}  // namespace mithril::cpu_backend
