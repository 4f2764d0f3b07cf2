// Tensors as types that only files have.
#pragma once

#include <string>

#include "mithril/serialization/storage_type.hpp"

namespace mithril {

// The bytes of the elements in that type, at the start of the elements of the returned tensor.
// Integers must be exact; floats are rounded to nearest, ties to even. What is too large for a
// float8 type becomes infinite, or NaN in a type without infinity. ValueError E0491 for an element
// that an integer type cannot hold, for float4 elements that do not fill their last byte, and for
// float6 and complex64.
Tensor narrowed(const std::string& name, StorageType type, const Tensor& tensor);

}  // namespace mithril
