// The element types of ONNX and the dtypes that hold their elements.
#pragma once
#include <optional>
#include <string>

#include "mithril/infer/kind.hpp"
#include "mithril/onnx/proto.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::onnx {

// "float", "uint8", "float8e4m3fn": the names of ONNX. "type 99" for an unknown one.
std::string name_of(ElementType type);

// The dtype with these elements. Nothing for types whose tensors Mithril does not read.
std::optional<DType> held_dtype(ElementType type);
// The element type with the elements of a dtype: all dtypes have one.
ElementType element_type_of(DType dtype);

// Whether graphs compute with these elements: arithmetic wraps and rounds as in ONNX.
bool is_computed(ElementType type);
bool is_float(ElementType type);
bool is_int(ElementType type);  // a bool is not one
Kinds kind_of(ElementType type);

}  // namespace mithril::onnx
