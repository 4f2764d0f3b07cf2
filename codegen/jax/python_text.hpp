// Names, numbers and tensors as Python.
#pragma once
#include <functional>
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::codegen {

// A string literal. Characters besides printable ASCII are escaped.
std::string python_string(std::string_view text);

// The dtype of JAX arrays: "jnp.float32". Ints of 64 bits are "int", the widest ints of JAX, which
// have 32 bits unless jax_enable_x64 is set.
std::string jax_dtype(DType dtype);

std::string python_number(double number, DType dtype = DType::float64);  // "0.5", "jnp.inf"

// A value: None, True, 3, (1, "valid"), slice(0, None, 2). `dim` writes ints.
std::string python_value(const Datum& datum, const std::function<std::string(const Dim&)>& dim);

// "(2, 3)", "(2,)", "()".
std::string python_tuple(const std::vector<std::string>& items);

// An expression that makes the tensor, in lines of at most 100 columns: continued lines have this
// indentation.
std::string jax_constant(const Tensor& tensor, size_t indentation);

// A statement, indented by four spaces, with a remark behind or above it.
std::string statement_line(const std::string& text, const std::string& remark);

}  // namespace mithril::codegen
