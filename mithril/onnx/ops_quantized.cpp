// Quantised tensors. Products of them are computed as doubles, which are exact below 2^53.
#include "mithril/onnx/parts.hpp"
#include "mithril/onnx/windows.hpp"

namespace mithril::onnx {
namespace {

struct QuantizedRange {
  double low, high;
};

QuantizedRange limits_of(ElementType type) {
  if (type == ElementType::uint8) return {0, 255};
  if (type == ElementType::int8) return {-128, 127};
  if (type == ElementType::uint16) return {0, 65535};
  if (type == ElementType::int16) return {-32768, 32767};
  if (type == ElementType::uint4) return {0, 15};
  if (type == ElementType::int4) return {-8, 7};
  if (type == ElementType::uint2) return {0, 3};
  if (type == ElementType::int2) return {-2, 1};
  refuse("it makes " + name_of(type));
}

// Refuses scales that would make the input larger.
void need_size(const NodeContext& node, std::size_t i, std::size_t at, const Size& expected) {
  const auto* number = std::get_if<std::int64_t>(&expected);
  const std::int64_t found = node.known_dim(i, at);
  if (number && found != *number)
    refuse("axis " + std::to_string(at) + " of its input " + std::to_string(i) + " has " +
           std::to_string(found) + " elements, expected " + std::to_string(*number));
}

// A number for all elements, one for each index of the axis, or one for each block of its indices.
Connection along(const NodeContext& node, std::size_t i, std::int64_t axis, std::size_t rank) {
  const std::size_t own = node.rank(i);
  const std::int64_t block = within("its attribute 'block_size'", node.integer("block_size", 0), 0);
  if (block != 0) {
    if (own != rank) refuse("its scales have another rank than its input");
    for (std::size_t at = 0; at < rank; ++at)
      if (at != static_cast<std::size_t>(axis)) need_size(node, i, at, node.sizes()[at]);
    const Size size = node.sizes()[static_cast<std::size_t>(axis)];
    const Connection all = apply("repeat_interleave", {node[i], block, axis});
    return sliced(all, axis, 0, binding_of(size));  // the last block may be smaller
  }
  if (own == 0) return node[i];
  const std::vector<std::int64_t> dims = node.known_dims(i);
  if (own != 1) refuse("its scales have " + std::to_string(own) + " axes, expected 0 or 1");
  if (dims[0] == 1) return node[i];
  need_size(node, i, 0, node.sizes()[static_cast<std::size_t>(axis)]);
  return expanded(node[i], range_to(rank - static_cast<std::size_t>(axis), 1));
}

// The axis with one scale for each index; any one for a single scale.
std::int64_t scale_axis(const NodeContext& node, std::size_t rank) {
  if (node.integer("block_size", 0) != 0) return node.axis(node.integer("axis", 1), rank);
  const bool is_single = node.rank(1) == 0 || node.known_dims(1)[0] == 1;
  return is_single ? 0 : node.axis(node.integer("axis", 1), rank);
}

Outputs dequantize(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = scale_axis(node, rank);
  const ElementType type = element_type(node, "output_dtype", node.type(1));
  // Results of another type than the scales are rounded once, from float32 or float64.
  const bool is_double = node.type(1) == ElementType::float64 || type == ElementType::float64;
  const ElementType product = type == node.type(1) ? type
                              : is_double          ? ElementType::float64
                                                   : ElementType::float32;
  // Differences of narrower integers are exact in float32.
  const DType wide = node.type() == ElementType::int32 ? DType::int32 : DType::float32;
  Connection x = node[0].cast(wide);
  if (node.has(2)) x = x - along(node, 2, axis, rank).cast(wide);
  const Connection scales = converted(along(node, 1, axis, rank), product);
  return {Value(converted(converted(x, product) * scales, type), type)};
}

Connection quantized(const Connection& quotient, const Binding& zero, ElementType type) {
  const QuantizedRange limits = limits_of(type);
  const Connection rounded = apply("round", {quotient});  // NaN where 0 was divided by 0
  const Connection steps = selected(apply("is_nan", {rounded}), 0.0, rounded) + zero;
  return converted(steps.clamp(limits.low, limits.high), type);
}

Outputs quantize(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = scale_axis(node, rank);
  const ElementType stated = element_type(node, "output_dtype", ElementType::undefined);
  const ElementType type = node.has(2)                        ? node.type(2)
                           : stated == ElementType::undefined ? ElementType::uint8
                                                              : stated;
  if (stated != ElementType::undefined && stated != type)
    refuse("its zero points are " + name_of(type) + ", and its attribute 'output_dtype' is " +
           name_of(stated));
  const ElementType precision = element_type(node, "precision", node.type(1));
  if (!is_float(precision))
    refuse("its attribute 'precision' is " + name_of(precision) + ", expected floats");
  // Quotients of float16 and bfloat16 are rounded, which fused loops leave out. Sums with zero
  // points of 16 bits have more digits.
  const ElementType wide =
      precision == ElementType::float64 ? ElementType::float64 : ElementType::float32;
  const auto rounded = [&](const Connection& value) {
    return converted(converted(value, precision), wide);
  };
  const Connection quotient = rounded(rounded(node[0]) / rounded(along(node, 1, axis, rank)));
  if (is_float(type)) return {Value(saturated(node, quotient, type), type)};
  const Binding zero =
      node.has(2) ? Binding(converted(along(node, 2, axis, rank), wide)) : Binding(0.0);
  return {Value(quantized(quotient, zero, type), type)};
}

Outputs quantize_dynamically(const NodeContext& node) {
  const Connection x = node[0];
  const Connection high = apply("maximum", {x.max(), 0.0});
  const Connection low = apply("minimum", {x.min(), 0.0});
  // As ONNX Runtime, so that zeros have a scale.
  const Connection width = high - low;
  const Connection scale = selected(width.eq(0.0), 1.0, width / 255.0);
  const Connection zero = apply("round", {(-low / scale).clamp(0.0, 255.0)});
  return {Value(quantized(x / scale, zero, ElementType::uint8), ElementType::uint8),
          Value(scale, ElementType::float32),
          Value(converted(zero, ElementType::uint8), ElementType::uint8)};
}

// A scale or zero point: a number, or a vector with these axes after its own.
Connection number_or_vector(const NodeContext& node, std::size_t i,
                            const std::vector<std::int64_t>& axes_after) {
  if (node.rank(i) != 1) return node[i];
  const auto dims = node.dims(i);
  return dims && dims->front() == 1 ? reshaped(node[i], {}) : expanded(node[i], axes_after);
}

// The elements above the zero point, as doubles.
Connection above_zero(const NodeContext& node, std::size_t i, std::size_t zero,
                      const std::vector<std::int64_t>& axes_after) {
  const Connection x = node[i].cast(DType::float64);
  return node.has(zero) ? x - number_or_vector(node, zero, axes_after).cast(DType::float64) : x;
}

// The axis after the scale or zero point of each row of input 0; none if that is a vector.
std::vector<std::int64_t> after_rows(const NodeContext& node) {
  return node.rank(0) == 1 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{1};
}

// The product of inputs 0 and `right`, above their zero points.
Connection integer_product(const NodeContext& node, std::size_t right, std::size_t right_zero) {
  return matrix_product(above_zero(node, 0, 2, after_rows(node)),
                        above_zero(node, right, right_zero, {}), node.rank(0), node.rank(right));
}

Outputs mat_mul_integer(const NodeContext& node) {
  const Connection product = integer_product(node, 1, 3);
  return {Value(product.cast(DType::int32), ElementType::int32)};
}

Outputs conv_integer(const NodeContext& node) {
  const std::vector<std::int64_t> dims = node.known_dims(1);
  const std::vector<std::int64_t> after = range_to(dims.size(), 1);
  const Connection made =
      convolved(node, above_zero(node, 0, 2, {}), above_zero(node, 1, 3, after), none, dims);
  return {Value(made.cast(DType::int32), ElementType::int32)};
}

// The quantised result of an integer product whose inputs have these scales.
Value requantized(const NodeContext& node, const Connection& product, const Connection& scales,
                  std::size_t scale, std::size_t zero) {
  const Connection factor = (scales / number_or_vector(node, scale, {})).cast(DType::float64);
  const ElementType type = node.type(zero);
  const QuantizedRange limits = limits_of(type);
  const Connection steps =
      apply("round", {product * factor}) + number_or_vector(node, zero, {}).cast(DType::float64);
  return {converted(steps.clamp(limits.low, limits.high), type), type};
}

Outputs quantized_mat_mul(const NodeContext& node) {
  const Connection scales =
      number_or_vector(node, 1, after_rows(node)) * number_or_vector(node, 4, {});
  return {requantized(node, integer_product(node, 3, 5), scales, 6, 7)};
}

Outputs quantized_conv(const NodeContext& node) {
  const std::vector<std::int64_t> dims = node.known_dims(3);
  const Binding bias = node.has(8) ? Binding(node[8].cast(DType::float64)) : Binding(none);
  const Connection product =
      convolved(node, above_zero(node, 0, 2, {}), above_zero(node, 3, 5, range_to(dims.size(), 1)),
                bias, dims);
  const Connection scales =
      number_or_vector(node, 1, {}) * number_or_vector(node, 4, range_to(dims.size() - 1, 1));
  return {requantized(node, product, scales, 6, 7)};
}

}  // namespace

std::vector<OpRow> quantized_rows() {
  return {
      {"ConvInteger", 10, conv_integer, "convolutions of doubles", {}, true},
      {"DequantizeLinear", 10, dequantize, "Subtract, Multiply", {}, true},
      {"DynamicQuantizeLinear", 11, quantize_dynamically, "Max, Min, Divide, Round, Clamp"},
      {"MatMulInteger", 10, mat_mul_integer, "MatrixMultiply of doubles", {}, true},
      {"QLinearConv", 10, quantized_conv, "convolutions of doubles, Round, Clamp", {}, true},
      {"QLinearMatMul", 10, quantized_mat_mul, "MatrixMultiply of doubles, Round, Clamp", {}, true},
      {"QuantizeLinear", 10, quantize, "Divide, Round, Clamp", {}, true},
  };
}

}  // namespace mithril::onnx
