// Conversion between integers, truth values, float32 and float64, and packing of integers as int16
// pairs for gemm_kernels<int32_t>().
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Integer is an integer of 8 or 16 bits, or int32_t.
template <typename Integer>
struct IntegerKernels {
  void (*widen)(const Integer* from, int64_t count, float* to);
  void (*widen_to_double)(const Integer* from, int64_t count, double* to);
  // All floats are values of Integer.
  void (*narrow)(const float* from, int64_t count, Integer* to);
};

template <typename Integer>
const IntegerKernels<Integer>& integer_kernels(Instructions instructions = best_instructions());

template <typename T>
struct TruthKernels {
  // to[i] = from[i] != 0. NaN is true.
  void (*store)(const T* from, int64_t count, bool* to);
};

// T is float or double.
template <typename T>
const TruthKernels<T>& truth_kernels(Instructions instructions = best_instructions());

// Narrows floats that are integers of absolute values up to `most`, at most INT16_MAX. Returns
// whether all are; otherwise the elements of `to` are unspecified.
struct ExactNarrowKernels {
  bool (*narrow)(const float* from, int64_t count, float most, int16_t* to);
};

const ExactNarrowKernels& exact_narrow_kernels(Instructions instructions = best_instructions());

// From is uint8_t, int8_t or int16_t. int16 must hold the differences.
template <typename From>
struct Int16PairKernels {
  // to[i] = from[i] - zero.
  void (*widen)(const From* from, int32_t zero, int64_t count, int16_t* to);
  // to[i] = the pair of first[i] - zero and second[i] - zero. If `second` is null, the second
  // elements are 0.
  void (*pair)(const From* first, const From* second, int32_t zero, int64_t count, int32_t* to);
};

template <typename From>
const Int16PairKernels<From>& int16_pair_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
