// The inverse of the error function.
#pragma once
#include <cmath>
#include <limits>

namespace mithril {

inline double inverse_erf(double y) {
  constexpr double two_by_root_pi = 1.1283791670955126;
  const double size = std::abs(y);
  if (!(size <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
  // Near 1 the complement has the digits.
  const bool is_large = size > 0.5;
  const double rest = 1 - size;
  double x = (size + 0.2617993877991494 * size * size * size) / two_by_root_pi;
  if (is_large) {  // Abramowitz and Stegun, 26.2.22
    const double t = std::sqrt(-2 * std::log(rest / 2));
    x = (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) * 0.7071067811865476;
  }
  for (int step = 0; step < 3; ++step) {  // Halley's method
    const double error = is_large ? rest - std::erfc(x) : std::erf(x) - size;
    const double slope = two_by_root_pi * std::exp(-x * x);
    x -= error / (slope + x * error);
  }
  return std::copysign(x, y);
}

}  // namespace mithril
