// Pooling kernels: max and mean over the taps of windows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// One tap of `count` neighbouring windows: elements that are `step` apart.
template <typename T>
struct PoolRun {
  const T* from;
  int64_t step, count;
};

// An index of the size of T, so that vectors of both have the same number of lanes.
template <typename T>
using PoolIndex = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// `count` neighbouring windows in the NCHW16c layout, all with the same taps.
template <typename T>
struct PoolBlocks {
  const T* from;                                 // the first tap of the first window
  int64_t rows, columns, row_step, column_step;  // numbers of taps, and the elements between them
  int64_t count, step;                           // of windows; elements between two windows
  int64_t block;                                 // channels of a block, in whole vectors
  T divisor;                                     // the mean is sum / divisor
  T* to;
};

template <typename T>
struct PoolKernels {
  void (*largest_of_blocks)(const PoolBlocks<T>&);
  void (*mean_of_blocks)(const PoolBlocks<T>&);

  // best[i] = x[i] if x[i] is larger or NaN, for the elements x of `run`.
  void (*largest)(const PoolRun<T>& run, T* best);
  // Computes `largest`, and stores the index of each maximum in `places`. `place` is the index of
  // the run's first element. An index of -1 means that there is no maximum yet.
  void (*largest_placed)(const PoolRun<T>& run, PoolIndex<T> place, T* best, PoolIndex<T>* places);
  void (*sum)(const PoolRun<T>& run, T* sums);  // sums[i] += x[i]
};

template <typename T>
const PoolKernels<T>& pool_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
