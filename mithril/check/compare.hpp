// Describes the difference between two tensors or two values.
#pragma once

#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::check {

// Empty if dtype and dims are equal and each element is within tolerance * max(1, |expected|) of
// the expected one; otherwise a description: "element [1, 2] is 0.5, expected 0.7: off by 0.2,
// allowed 1e-12". A NaN equals a NaN.
std::string difference(const Tensor& got, const Tensor& expected, double tolerance);

// Compares bit by bit.
std::string difference(const Tensor& got, const Tensor& expected);

// Compares the kinds and contents of two values.
std::string difference(const Datum& got, const Datum& expected);

}  // namespace mithril::check
