// The order of elements in which a maximum or minimum is found.
#pragma once
#include <cmath>
#include <type_traits>

namespace mithril {

// Whether x replaces the best element so far: NaN wins over all numbers, and the first of equal
// elements stays.
template <typename T, typename Better>
bool replaces(T x, T best, Better better) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(best)) return false;
    if (std::isnan(x)) return true;
  }
  return better(x, best);
}

}  // namespace mithril
