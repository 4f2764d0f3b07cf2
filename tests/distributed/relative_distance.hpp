// How far two results of training are from each other.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

// The largest difference of two elements, relative to the largest element of `b`.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.dims() == b.dims());
  double largest = 0, size = 1e-300;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a.at_as_double(i) - b.at_as_double(i)));
    size = std::max(size, std::abs(b.at_as_double(i)));
  }
  return largest / size;
}

}  // namespace mithril::tests
