// Floats as ints.
#pragma once
#include <cmath>
#include <limits>

namespace mithril::snippets {

// Rounds towards zero; NaN and values out of range give the smallest int.
template <typename T, typename From>
T to_integer(From number) {
  constexpr double least = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double above = 2.0 * (std::numeric_limits<T>::max() / 2 + 1);
  const double whole = std::trunc(static_cast<double>(number));
  return whole >= least && whole < above ? static_cast<T>(whole) : std::numeric_limits<T>::min();
}

}  // namespace mithril::snippets
