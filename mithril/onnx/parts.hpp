// Parts that several rules compose.
#pragma once
#include <string_view>
#include <vector>

#include "mithril/models/library.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/op_row.hpp"

namespace mithril::onnx {

// The first output of a layer of the library.
Connection layer(std::string_view name, const Arguments& arguments, const Bindings& inputs);

// An input of a model that is composed of expressions.
Connection port(const char* name);
// A tuple of ints as a value.
Binding tuple_of(const std::vector<std::int64_t>& numbers);
std::vector<std::int64_t> range_to(std::size_t end, std::size_t begin = 0);  // begin, ..., end - 1

Connection reshaped(const Connection& x, const std::vector<Size>& sizes);
Connection transposed(const Connection& x, const std::vector<std::int64_t>& axes);
Connection expanded(const Connection& x, const std::vector<std::int64_t>& axes);  // axes of size 1
Connection sliced(const Connection& x, std::int64_t axis, const Binding& start,
                  const Binding& stop);
Connection joined(const std::vector<Connection>& parts, std::int64_t axis);
Connection converted(const Connection& x, ElementType type);
// As Cast and QuantizeLinear convert to a type: by default, what is beyond the largest number of a
// float8 type becomes that number.
Connection saturated(const NodeContext& node, const Connection& x, ElementType type);
// The first input; ints of 32 bits as int64, the type of indices of elements.
Connection widened(const NodeContext& node);
// Constants of the model.
Connection constant(const Tensor& tensor);
Connection constant(const std::vector<std::int64_t>& numbers);
Connection positions_to(const Size& count);  // 0, 1, ..., count - 1
Connection squared(const Connection& x);
// As numpy.matmul: a vector is a matrix of one row or one column, without that axis in the result.
Connection matrix_product(const Connection& a, const Connection& b, std::size_t rank_a,
                          std::size_t rank_b);
Connection selected(const Connection& condition, const Binding& yes, const Binding& no);
// Sums, differences and products of sizes. Refused if 64 bits do not hold them.
Size plus(const Size& a, const Size& b);
Size minus(const Size& a, const Size& b);
Size times(const Size& a, const Size& b);
Size product_of(const std::vector<Size>& sizes);
std::vector<Size> part_of(const std::vector<Size>& sizes, std::size_t begin, std::size_t end);
std::vector<Size> operator+(std::vector<Size> a, const std::vector<Size>& b);
// The element type of the attribute.
ElementType element_type(const NodeContext& node, const std::string& attribute,
                         ElementType fallback);

}  // namespace mithril::onnx
