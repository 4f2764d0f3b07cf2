// Integer arithmetic that wraps where overflow is undefined in C++.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

template <typename T>
T wrapping_sum(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}

template <typename T>
T wrapping_difference(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}

template <typename T>
T wrapping_product(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}

template <typename T>
T wrapping_magnitude(T a) {
  return a < 0 ? wrapping_difference<T>(0, a) : a;
}

// All bits are shifted out if the shift is negative, or at least the width of T.
template <typename T>
T shifted_left(T a, T shift) {
  if (shift < 0 || shift > std::numeric_limits<T>::digits) return 0;
  return static_cast<T>(static_cast<Unsigned<T>>(a) << shift);
}

template <typename T>
T shifted_right(T a, T shift) {
  if (shift < 0 || shift > std::numeric_limits<T>::digits) return a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> shift);
}

// Powers by squaring. Results for negative exponents are rounded towards zero; 0 to a negative
// power is 0.
template <typename T>
T whole_power(T base, T exponent) {
  if (exponent < 0 && base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
  if (exponent < 0) return base == 1;
  T result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapping_product<T>(result, base);
    base = wrapping_product<T>(base, base);
  }
  return result;
}

}  // namespace mithril::snippets
