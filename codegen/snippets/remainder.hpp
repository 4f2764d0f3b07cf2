// Remainders of floored divisions.
#pragma once
#include <cmath>
#include <type_traits>

#include "codegen/snippets/numbers.hpp"
#include "codegen/snippets/walk.hpp"

namespace mithril::snippets {

// Python's: the sign is that of b.
template <typename T>
T floored_remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) throw Failure{"remainder: an int is divided by zero"};
    if constexpr (!std::is_same_v<T, bool>) {
      if (b == T(-1)) return T();
    }
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < T()) != (b < T()) ? static_cast<T>(rest + b) : rest;
  }
}

template <typename T, size_t rank, typename A, typename B>
void remainder(Tensor<T, rank> output, A numerator, B denominator) {
  for (int64_t i = 0; i < output.size(); ++i) {
    const auto a = element(numerator, broadcast_index(i, output.dims, dims_of(numerator)));
    const auto b = element(denominator, broadcast_index(i, output.dims, dims_of(denominator)));
    output[i] = floored_remainder(static_cast<T>(a), static_cast<T>(b));
  }
}

}  // namespace mithril::snippets
