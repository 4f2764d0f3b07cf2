// Floats as ints.
#pragma once
#include <cmath>
#include <limits>

namespace mithril::snippets {

// Towards zero; NaN and what does not fit give the smallest int.
template <typename T, typename From>
T to_integer(From number) {
  constexpr double limit = -static_cast<double>(std::numeric_limits<T>::min());
  const double whole = std::trunc(static_cast<double>(number));
  return whole >= -limit && whole < limit ? static_cast<T>(whole) : std::numeric_limits<T>::min();
}

}  // namespace mithril::snippets
