// Matrices of float32 that are integers times scales.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

struct ScaledIntegers {
  std::vector<float> scales;     // one per column
  float least = 0, largest = 0;  // the range of the integers and 0

  bool are_bytes() const { return least >= INT8_MIN && largest <= INT8_MAX; }
};

// The scales of a matrix of `columns` columns, stored by rows or, if `transposed`, by columns: 1,
// one scale for all columns, or one for each. Each element equals the product of its scale and an
// integer that int16 holds, rounded to float32. None if no such scales are found, or the tensor has
// foreign memory. Finds one scale that is the least absolute value of an element, and scales of
// columns that are this value or a half, third or fourth of it.
std::optional<ScaledIntegers> scaled_integers(const Tensor& tensor, int64_t columns,
                                              bool transposed);

// The integers, as int16.
Tensor integers_of(const Tensor& tensor, const ScaledIntegers& of, bool transposed);

}  // namespace mithril::cpu_backend
