// Remainders of divisions towards zero.
#pragma once
#include <cmath>
#include <type_traits>

#include "codegen/cpp/kernels/map_broadcast.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename A, typename B>
void fmod(Tensor<T, rank> output, A numerator, B denominator) {
  map_broadcast(output, numerator, denominator, [](T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) fail("fmod: an int is divided by zero");
      return b == T(-1) ? T(0) : static_cast<T>(a % b);
    }
  });
}

}  // namespace mithril::snippets
