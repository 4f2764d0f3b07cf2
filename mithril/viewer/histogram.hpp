// The distribution of the elements of a parameter.
#pragma once

#include <array>
#include <cstdint>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct Histogram {
  std::int64_t elements = 0;  // of the tensor
  std::int64_t counted = 0;   // evenly spaced elements; all of them if there are at most a million
  std::int64_t not_finite = 0;
  double low = 0, high = 0, mean = 0, deviation = 0;  // of the finite ones that were counted
  std::array<std::int64_t, 24> bins = {};             // of equal width, from low to high
};

Histogram histogram_of(const Tensor& tensor);

}  // namespace mithril
