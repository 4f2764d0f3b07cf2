// Quotients of floats, rounded towards minus infinity.
#pragma once
#include <cmath>

namespace mithril {

// The quotient of Python's //: exact even if a / b would be rounded up to a whole number.
template <typename T>
T floor_quotient_of_floats(T a, T b) {
  const T remainder = std::fmod(a, b);
  if (b == 0) return a / b;
  T quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  return std::round(quotient);
}

}  // namespace mithril
