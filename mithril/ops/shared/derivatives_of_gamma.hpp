// Derivatives of the logarithm of the gamma function.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace mithril {

inline double digamma(double x) {
  constexpr double pi = 3.141592653589793;
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    const double fraction = x - std::floor(x);
    if (fraction == 0) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - pi / std::tan(pi * fraction);
  }
  double before = 0;
  for (; x < 10; ++x) before -= 1 / x;
  // The asymptotic series (Abramowitz and Stegun, 6.3.18).
  constexpr double coefficients[] = {1. / 12,  -691. / 32760, 1. / 132, -1. / 240,
                                     1. / 252, -1. / 120,     1. / 12};
  double series = 0;
  for (const double coefficient : coefficients) series = (series + coefficient) / (x * x);
  return before + std::log(x) - 0.5 / x - series;
}

// The sum of (x + k)^-s for k = 0, 1, ..., for x > 0.
inline double hurwitz_zeta(double s, double x) {
  double sum = 0;
  for (int k = 0; k < 12; ++k, ++x) sum += std::pow(x, -s);
  // The rest, by the Euler-Maclaurin formula. Ratios of Bernoulli numbers and factorials: B2j /
  // 2j!.
  constexpr double coefficients[] = {1. / 12,          -1. / 720,
                                     1. / 30240,       -1. / 1209600,
                                     1. / 47900160,    -691. / 1307674368000,
                                     1. / 74724249600, -3617. / 10670622842880000};
  const double power = std::pow(x, -s);
  sum += power * x / (s - 1) + power / 2;
  double factor = power * s / x;
  for (int j = 0; j < 8; ++j) {
    sum += coefficients[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
  }
  return sum;
}

// Derivative number order + 1 of log(gamma(x)).
inline double polygamma_of(int64_t order, double x) {
  if (order == 0) return digamma(x);
  const double s = static_cast<double>(order) + 1;
  const bool is_odd = order % 2 != 0;
  double sum = 0;
  if (x > 0) {
    sum = hurwitz_zeta(s, x);
  } else {
    // The terms below 0 are a difference of two sums above 0.
    const double fraction = x - std::floor(x);
    if (fraction == 0) {
      sum = std::numeric_limits<double>::infinity();
    } else {
      const double below = hurwitz_zeta(s, 1 - fraction) - hurwitz_zeta(s, 1 - x);
      sum = hurwitz_zeta(s, fraction) + (is_odd ? below : -below);
    }
  }
  return (is_odd ? 1 : -1) * std::tgamma(s) * sum;
}

}  // namespace mithril
