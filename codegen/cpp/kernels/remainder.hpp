// Remainders of floored divisions.
#pragma once
#include <cmath>
#include <type_traits>

#include "codegen/cpp/kernels/map_broadcast.hpp"

namespace mithril::snippets {

// As in Python: the sign is that of b.
template <typename T>
T floored_remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) fail("remainder: an int is divided by zero");
    if constexpr (!std::is_same_v<T, bool>) {
      if (b == T(-1)) return T();
    }
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < T()) != (b < T()) ? static_cast<T>(rest + b) : rest;
  }
}

template <typename T, size_t rank, typename A, typename B>
void remainder(Tensor<T, rank> output, A numerator, B denominator) {
  map_broadcast(output, numerator, denominator, [](T a, T b) { return floored_remainder(a, b); });
}

}  // namespace mithril::snippets
