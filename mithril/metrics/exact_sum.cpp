#include "mithril/metrics/exact_sum.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace mithril::metrics {

void ExactSum::add(double number) {
  std::size_t kept = 0;
  double sum = number;
  for (double part : parts_) {
    if (std::fabs(sum) < std::fabs(part)) std::swap(sum, part);
    const double high = sum + part, low = part - (high - sum);
    if (low != 0 && std::isfinite(high)) parts_[kept++] = low;
    sum = high;
  }
  parts_.resize(kept);
  if (std::isfinite(sum)) {
    if (sum != 0) parts_.push_back(sum);
    return;
  }
  special_ += std::isfinite(number) ? sum : number;
  parts_.clear();
}

void ExactSum::add(const ExactSum& other) {
  special_ += other.special_;
  const std::vector<double> parts = other.parts_;
  for (const double part : parts) add(part);
}

std::vector<double> ExactSum::numbers() const {
  return special_ != 0 ? std::vector<double>{special_} : parts_;  // NaN, too
}

double ExactSum::value() const {
  if (special_ != 0) return special_;  // NaN, too
  double high = 0, low = 0;
  std::size_t left = parts_.size();
  while (left > 0 && low == 0) {
    const double before = high, part = parts_[--left];
    high = before + part;
    low = part - (high - before);
  }
  // `low` is half a unit of `high` at most. If it is exactly half, the parts below decide.
  if (left > 0 && low != 0 && (low < 0) == (parts_[left - 1] < 0)) {
    const double twice = low * 2, rounded = high + twice;
    if (rounded - high == twice) high = rounded;
  }
  return high;
}

}  // namespace mithril::metrics
