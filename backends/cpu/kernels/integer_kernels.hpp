// Conversion between integers, truth values, float32 and float64, and packing of integers as int16
// pairs for gemm_kernels<int32_t>().
#pragma once

#include <cstdint>
#include <limits>

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

// The extent of some floats. NaN is ignored.
struct Extent {
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  float magnitude = infinity;  // the least absolute value that is not 0
  float least = infinity, largest = -infinity;
};

// For floats that are integers times a scale.
struct ScaledIntegerKernels {
  Extent (*extent)(const float* from, int64_t count);
  // Narrows integers times `scale`. Returns whether all elements are the products of `scale` and
  // integers of absolute values up to `most`, at most INT16_MAX, rounded to float32; otherwise the
  // elements of `to` are unspecified.
  bool (*narrow)(const float* from, int64_t count, float scale, float most, int16_t* to);
  // Narrows integers times `scale`, minus `zero`, whose differences are below 2^16: the bytes of
  // the differences shifted right by `shift`, 0 or 8. Returns whether all elements are products as
  // above.
  bool (*narrow_to_bytes)(const float* from, int64_t count, float scale, int32_t zero, int shift,
                          uint8_t* to);
  // to[i] = from[i] * by, which wraps. `to` may be `from`.
  void (*multiply)(const int32_t* from, int32_t by, int64_t count, int32_t* to);
  // to[i] = from[i] * scales[i], where `from` is rounded to float32. `to` may be the memory of
  // `from`.
  void (*widen)(const int32_t* from, const float* scales, int64_t count, float* to);
};

const ScaledIntegerKernels& scaled_integer_kernels(Instructions instructions = best_instructions());

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
