// What is done along a row when windows are pooled.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Elements that are so many apart, one for each of `count` windows.
template <typename T>
struct PoolRun {
  const T* from;
  int64_t step, count;
};

// Wide as T, so that vectors have as many of them.
template <typename T>
using PoolPlace = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// Windows side by side over places that have a block of channels each; all have these taps.
template <typename T>
struct PoolBlocks {
  const T* from;                                 // the first tap of the first window
  int64_t rows, columns, row_step, column_step;  // of the taps, in elements
  int64_t count, step;                           // of windows, and from one to the next
  int64_t block;                                 // of whole vectors
  T divisor;                                     // of sums
  T* to;
};

template <typename T>
struct PoolKernels {
  void (*largest_of_blocks)(const PoolBlocks<T>&);
  void (*mean_of_blocks)(const PoolBlocks<T>&);

  // What is larger, or NaN, takes the place of what there is.
  void (*largest)(const PoolRun<T>& run, T* best);
  // The same with the places of what is largest, of which `place` is that of the run's first
  // element: -1 where nothing was seen yet.
  void (*largest_placed)(const PoolRun<T>& run, PoolPlace<T> place, T* best, PoolPlace<T>* places);
  void (*sum)(const PoolRun<T>& run, T* sums);  // adds to what there is
};

template <typename T>
const PoolKernels<T>& pool_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
