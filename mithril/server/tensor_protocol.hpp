// Tensors in requests and responses of the Open Inference Protocol: JSON or binary data.
#pragma once

#include <string>
#include <string_view>

#include "mithril/json/json.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// "FP32" for float32.
std::string_view protocol_name(DType dtype);
// TypeError E1232 for a datatype that Mithril lacks. `where`: "input 'x'", for messages.
DType parse_protocol_name(const std::string& name, const std::string& where);

// The elements as the protocol sends them: little-endian and row-major, a bool as one byte.
// InputError E1231 for another number of bytes.
Tensor tensor_of_bytes(DType dtype, const Dims& dims, std::string_view bytes,
                       const std::string& where);
// A tensor from numbers in a list, or in lists that are nested as the dims say. InputError E1231
// for another number of elements, E1233 for an element of another kind or out of range.
Tensor tensor_of_numbers(DType dtype, const Dims& dims, const Json& data, const std::string& where);

void append_bytes(std::string& text, const Tensor& tensor);
// "[1, 2]"; a number that is not finite is null.
void append_numbers(std::string& text, const Tensor& tensor);

}  // namespace mithril
