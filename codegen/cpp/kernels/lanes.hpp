// SIMD vectors of the width of the target's registers, by the vector extensions of GCC and clang.
#pragma once
#include <cstring>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// A tile of sums has `tile_rows` rows of two vectors: the number that the registers hold.
#if defined(__AVX512F__) && !defined(__clang__)
inline constexpr int64_t lane_bytes = 64;
inline constexpr int64_t tile_rows = 12;
#elif defined(__AVX512F__)  // clang may split 64-byte vectors
inline constexpr int64_t lane_bytes = 32;
inline constexpr int64_t tile_rows = 12;
#elif defined(__AVX__)
inline constexpr int64_t lane_bytes = 32;
inline constexpr int64_t tile_rows = 6;
#else
inline constexpr int64_t lane_bytes = 16;
inline constexpr int64_t tile_rows = 6;
#endif

template <typename T>
inline constexpr int64_t lane_count = lane_bytes / static_cast<int64_t>(sizeof(T));

#if defined(__GNUC__) && !defined(PLAIN_ARRAYS)
template <typename T>
struct LanesOf {
  typedef T type __attribute__((vector_size(lane_bytes)));
};
template <typename T>
using Lanes = typename LanesOf<T>::type;
#else  // also for other compilers, or for tests
template <typename T>
struct Lanes {
  T lane[lane_count<T>];

  T operator[](int64_t i) const { return lane[i]; }
  Lanes& operator+=(const Lanes& other) {
    for (int64_t i = 0; i < lane_count<T>; ++i) lane[i] += other.lane[i];
    return *this;
  }
  friend Lanes operator*(Lanes lanes, T factor) {
    for (T& lane : lanes.lane) lane *= factor;
    return lanes;
  }
  friend Lanes operator*(Lanes lanes, const Lanes& factors) {
    for (int64_t i = 0; i < lane_count<T>; ++i) lanes.lane[i] *= factors.lane[i];
    return lanes;
  }
};
#endif

// Elements need not be aligned to vectors.
template <typename T>
Lanes<T> load_lanes(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <typename T>
void store_lanes(T* to, const Lanes<T>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

template <typename T>
T lane_sum(const Lanes<T>& lanes) {
  T sum = 0;
  for (int64_t i = 0; i < lane_count<T>; ++i) sum += lanes[i];
  return sum;
}

}  // namespace mithril::snippets
