// Our dtypes and torch's.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "mithril/tensor/dtype.hpp"

namespace mithril::torch_backend {

c10::ScalarType scalar_type(DType dtype);
std::optional<DType> dtype_of(c10::ScalarType type);  // none: Mithril has no such dtype

}  // namespace mithril::torch_backend
