// The kind of a tensor, which inference uses instead of its dtype.
#pragma once
#include "mithril/infer/kind.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

inline Kinds tensor_kind(DType dtype) {
  if (is_floating(dtype)) return kind::float_tensor;
  return dtype == DType::boolean ? kind::bool_tensor : kind::int_tensor;
}

}  // namespace mithril
