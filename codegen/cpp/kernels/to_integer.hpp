// Floats as ints.
#pragma once
#include <cmath>
#include <limits>

namespace mithril::snippets {

// Rounds towards zero; NaN and values out of range give the smallest int.
template <typename T, typename From>
T to_integer(From number) {
  constexpr double limit = -static_cast<double>(std::numeric_limits<T>::min());
  const double whole = std::trunc(static_cast<double>(number));
  return whole >= -limit && whole < limit ? static_cast<T>(whole) : std::numeric_limits<T>::min();
}

}  // namespace mithril::snippets
