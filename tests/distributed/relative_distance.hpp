// How far two results of training are from each other.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

// The largest difference of two elements, relative to the largest element of `b`; infinite for NaN.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.dims() == b.dims());
  double largest = 0, size = 1e-300;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a.at_as_double(i) - b.at_as_double(i));
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
    size = std::max(size, std::abs(b.at_as_double(i)));
  }
  return largest / size;
}

}  // namespace mithril::tests
