// Converts an element to another dtype as NumPy's astype does, with undefined cases defined.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// To bool: whether it is not zero (NaN is not). To an integer: towards zero; integers wrap, and NaN
// and values out of range give the smallest integer, as for int32 and int64 in NumPy on x86. To a
// floating type: to nearest, ties to even.
template <class To, class From>
To convert(From value) {
  constexpr bool from_integer = std::integral<From>;
  if constexpr (std::same_as<To, bool>) {
    return value != From{};
  } else if constexpr (std::integral<To> && !from_integer) {
    constexpr auto least = static_cast<double>(std::numeric_limits<To>::min());
    // A power of two, which double holds.
    constexpr double above = 2.0 * (std::numeric_limits<To>::max() / 2 + 1);
    const double whole = std::trunc(static_cast<double>(value));
    return whole >= least && whole < above ? static_cast<To>(whole)
                                           : std::numeric_limits<To>::min();
  } else if constexpr (from_integer || std::floating_point<From>) {
    return static_cast<To>(value);
  } else {
    return static_cast<To>(static_cast<float>(value));
  }
}

}  // namespace mithril
