// Quotients rounded towards minus infinity.
#pragma once
#include <type_traits>

#include "codegen/cpp/kernels/integers.hpp"
#include "codegen/cpp/kernels/map_broadcast.hpp"
#include "mithril/ops/shared/float_quotient.hpp"

namespace mithril::snippets {

template <typename T>
T floor_quotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return floor_quotient_of_floats(a, b);
  } else {
    if (b == 0) fail("floor_divide: an int is divided by zero");
    if constexpr (!std::is_same_v<T, bool>) {
      if (b == T(-1)) return wrapping_difference<T>(0, a);
    }
    return static_cast<T>(a / b - (a % b != 0 && (a < T()) != (b < T())));
  }
}

template <typename T, size_t rank, typename A, typename B>
void floor_divide(Tensor<T, rank> output, A numerator, B denominator) {
  map_broadcast(output, numerator, denominator, [](T a, T b) { return floor_quotient(a, b); });
}

}  // namespace mithril::snippets
