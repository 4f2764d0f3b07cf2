// A number that is a value as a tensor.
#pragma once
#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// A tensor of rank 0 of the kind of the number. Its width does not decide the dtype of a result:
// that of a float is `like` where this is float32, and float64 otherwise.
inline Tensor number_tensor(const Datum& number, DType like) {
  if (number.kind() == kind::bool_value) return Tensor::scalar(number.flag());
  if (number.kind() == kind::int_value) return Tensor::scalar(number.integer());
  return like == DType::float32 ? Tensor::scalar(static_cast<float>(number.real()))
                                : Tensor::scalar(number.real());
}

}  // namespace mithril
