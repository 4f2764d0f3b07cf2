// Sums of doubles that are rounded once.
#pragma once

#include <vector>

namespace mithril::metrics {

// The sum of all numbers that were added, rounded to the nearest double. It does not depend on the
// order. Shewchuk, "Adaptive Precision Floating-Point Arithmetic" (1997): the sum is kept as
// numbers whose bits do not overlap.
class ExactSum {
 public:
  void add(double number);
  void add(const ExactSum& other);
  double value() const;
  // Numbers whose exact sum is this one.
  std::vector<double> numbers() const;

 private:
  std::vector<double> parts_;  // by increasing magnitude
  double special_ = 0;         // of NaN, infinities and what overflows
};

}  // namespace mithril::metrics
