// The order of elements in which a cumulative maximum or minimum is found.
#pragma once
#include <cmath>
#include <type_traits>

namespace mithril {

// Whether x replaces the best element so far: NaN wins over all numbers, and the last of equal
// elements or of NaNs stays.
template <typename T>
bool continues_extremum(T x, T best, bool largest) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return true;
  }
  return largest ? x >= best : x <= best;
}

}  // namespace mithril
