// Whether tensors are free of NaN and infinities.
#pragma once

#include <string>

#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// "nan", "inf", "-inf", or a number: NaN has no sign.
std::string finite_text(double number);

bool all_finite(const Tensor& tensor);
bool all_finite(const TensorMap& tensors);

}  // namespace mithril
