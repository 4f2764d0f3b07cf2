// Numbers, values and elements as C++ literals.
#pragma once
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::codegen {

std::string type_name(DType dtype);  // "float", "int64_t"

// A literal of this type that reads back as the same bits: "0.5f", "-3", "true".
std::string literal(double number, DType dtype);
std::string literal(int64_t number, DType dtype);

// A string of lower-case letters and underscores, which needs no escapes.
bool is_word(const Datum& datum);

// A value as an argument of a kernel: none, true, -1, 1e-05, "add", ints(2, 3), std::make_tuple(0,
// ints(1, 2)).
std::string argument(const Datum& datum);

// Whether all bits are 0, as those of an array without initial values.
bool are_zeros(const Tensor& tensor);

// The elements of a tensor, separated by commas, in lines of at most 100 columns.
std::string elements(const Tensor& tensor);

}  // namespace mithril::codegen
