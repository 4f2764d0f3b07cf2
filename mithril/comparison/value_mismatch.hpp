// The worst element of a value that two backends computed.
#pragma once

#include <optional>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct ValueMismatch {
  Dims worst = {};  // the index of the element; empty if dims or dtypes differ
  double expected = 0, got = 0, difference = 0;
};

// The element with the largest difference, if that is greater than `allowed`; dims or dtypes that
// differ are an infinite difference. A NaN equals a NaN, and an infinity itself.
std::optional<ValueMismatch> value_mismatch(const Tensor& got, const Tensor& expected,
                                            double allowed);
// The largest finite element, without its sign.
double largest_element(const Tensor& tensor);
// 1e-9 for float64, 1e-4 for float32, 4e-3 for float16, 3e-2 for bfloat16; 0 for ints and bools.
double default_tolerance(DType dtype);
// The distance of 1 to the next larger number; 0 for ints and bools.
double epsilon_of(DType dtype);

}  // namespace mithril
