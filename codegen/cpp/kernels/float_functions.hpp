// Functions of float32 without branches, so that compilers vectorise the loops that call them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

inline float float_of_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Error at most 1.0 ulp: 2^n * exp(r), where x = n * log(2) + r.
inline float float_exp(float x) {
  x = x < -104.0f ? -104.0f : x;        // gives 0
  x = x > 89.0f ? 89.0f : x;            // gives infinity
  constexpr float shift = 12582912.0f;  // 1.5 * 2^23: the last bits of a sum are an integer
  const float shifted = x * 1.44269504f + shift, n = shifted - shift;
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2^n as two factors, because it may be too large or too small for one float.
  uint32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const uint32_t power = bits - 0x4b400000u;
  const auto half = static_cast<uint32_t>(static_cast<int32_t>(power) >> 1);
  return p * float_of_bits((half + 127u) << 23) * float_of_bits((power - half + 127u) << 23);
}

inline float exp_of(float x) { return float_exp(x); }
inline double exp_of(double x) { return std::exp(x); }

// Error at most 1.4 ulp.
inline float float_tanh(float x) {
  const float size = x < 0 ? -x : x, square = x * x;
  const float far = 1.0f - 2.0f / (float_exp(size + size) + 1.0f);
  float p = -5.70498872745e-3f;
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const float near = size < 2e-4f ? x : p * square * x + x;  // keeps the sign of 0
  return size < 0.625f ? near : x < 0 ? -far : far;
}

// Error at most 1.2 ulp: 1 - exp(polynomial), or near 0 an odd polynomial.
inline float float_erf(float x) {
  const float size = x < 0 ? -x : x, square = x * x;
  const float low = -1.72853470e-5f * size + 3.83197126e-4f;
  const float high = -3.88396438e-3f * size + 2.42546219e-2f;
  float exponent = low * square + high;
  exponent = exponent * size - 1.06777877e-1f;
  exponent = exponent * size - 6.34846687e-1f;
  exponent = exponent * size - 1.28717512e-1f;
  const float far = 1.0f - float_exp(exponent * size - size);
  float p = -5.96761703e-4f;
  p = p * square + 4.99119423e-3f;
  p = p * square - 2.67681349e-2f;
  p = p * square + 1.12819925e-1f;
  p = p * square - 3.76125336e-1f;
  p = p * square + 1.28379166e-1f;
  const float near = p * x + x;
  return size > 0.927734375f ? x < 0 ? -far : far : near;
}

}  // namespace mithril::snippets
