// Saying how far two tensors, or two values, are apart.
#pragma once

#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::check {

// Empty where dtype and dims are equal and no element is further from the expected one than
// tolerance * max(1, |expected|); otherwise a phrase: "element [1, 2] is 0.5, expected 0.7: off by
// 0.2, allowed 1e-12". A NaN equals a NaN.
std::string difference(const Tensor& got, const Tensor& expected, double tolerance);

// The same, bit by bit.
std::string difference(const Tensor& got, const Tensor& expected);

// Of values: their kinds and what they hold.
std::string difference(const Datum& got, const Datum& expected);

}  // namespace mithril::check
