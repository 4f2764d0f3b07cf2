// Arithmetic, comparisons and logic.
#include <cmath>
#include <limits>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// Before opset 7 the second input was aligned by an attribute.
Connection aligned(const NodeContext& node) {
  const Connection right = node[1];
  if (node.opset() >= 7 || !node.attribute("axis")) return right;
  const std::size_t rank = node.rank(0), own = node.rank(1);
  const auto first = static_cast<std::size_t>(node.axis(node.integer("axis"), rank));
  if (first + own > rank) refuse("its inputs do not broadcast along axis " + std::to_string(first));
  return expanded(right, range_to(rank - first, own));
}

template <const char* const& op>
Outputs binary(const NodeContext& node) {
  return {apply(op, {node[0], aligned(node)})};
}

template <const char* const& op>
Outputs comparison(const NodeContext& node) {
  return {Value(apply(op, {node[0], aligned(node)}), ElementType::boolean)};
}

template <const char* const& op>
Outputs unary(const NodeContext& node) {
  return {apply(op, {node[0]})};
}

#define MITHRIL_ONNX_OP(name) constexpr const char* name##_op = #name
MITHRIL_ONNX_OP(add);
MITHRIL_ONNX_OP(subtract);
MITHRIL_ONNX_OP(multiply);
MITHRIL_ONNX_OP(bitwise_and);
MITHRIL_ONNX_OP(bitwise_or);
MITHRIL_ONNX_OP(bitwise_xor);
MITHRIL_ONNX_OP(bitwise_not);
MITHRIL_ONNX_OP(equal);
MITHRIL_ONNX_OP(greater);
MITHRIL_ONNX_OP(greater_equal);
MITHRIL_ONNX_OP(less);
MITHRIL_ONNX_OP(less_equal);
MITHRIL_ONNX_OP(logical_and);
MITHRIL_ONNX_OP(logical_or);
MITHRIL_ONNX_OP(logical_xor);
MITHRIL_ONNX_OP(logical_not);
MITHRIL_ONNX_OP(abs);
MITHRIL_ONNX_OP(negate);
MITHRIL_ONNX_OP(exp);
MITHRIL_ONNX_OP(log);
MITHRIL_ONNX_OP(sqrt);
MITHRIL_ONNX_OP(sin);
MITHRIL_ONNX_OP(cos);
MITHRIL_ONNX_OP(atan);
MITHRIL_ONNX_OP(erf);
MITHRIL_ONNX_OP(floor);
MITHRIL_ONNX_OP(round);
MITHRIL_ONNX_OP(sign);
MITHRIL_ONNX_OP(minimum);
MITHRIL_ONNX_OP(maximum);
#undef MITHRIL_ONNX_OP

template <const char* const& name>
Outputs from_layer(const NodeContext& node) {
  return {layer(name, {}, {{"input", node[0]}})};
}
constexpr const char *tan_layer = "Tan", *asin_layer = "Asin", *acos_layer = "Acos",
                     *sinh_layer = "Sinh", *cosh_layer = "Cosh";

Connection log1p(const Connection& x) { return apply("log1p", {x}); }

// asinh(x) = sign(x) log(|x| + sqrt(x^2 + 1)), written so that small elements keep their digits,
// and squares of large ones do not overflow.
Outputs asinh(const NodeContext& node) {
  const Connection x = node[0], size = x.abs();
  const Connection small = apply("minimum", {size, 1.0}), large = apply("maximum", {size, 1.0});
  const Connection square = squared(small);
  const Connection of_small = log1p(small + square / ((square + 1.0).sqrt() + 1.0));
  const Connection of_large = apply("log", {large}) + log1p((squared(1.0 / large) + 1.0).sqrt());
  return {apply("sign", {x}) * selected(size > 1.0, of_large, of_small)};
}

// acosh(x) = log(x + sqrt(x - 1) sqrt(x + 1)), in the same way.
Outputs acosh(const NodeContext& node) {
  const Connection x = node[0];
  const Connection small = apply("minimum", {x, 2.0}), large = apply("maximum", {x, 2.0});
  const Connection above = small - 1.0;
  const Connection of_small = log1p(above + above.sqrt() * (small + 1.0).sqrt());
  const Connection of_large = apply("log", {large}) + log1p((1.0 - squared(1.0 / large)).sqrt());
  return {selected(x > 2.0, of_large, of_small)};
}

Outputs atanh(const NodeContext& node) {
  const Connection x = node[0];
  return {(log1p(x) - log1p(-x)) * 0.5};
}

Outputs ceil(const NodeContext& node) { return {-((-node[0]).floor())}; }

Outputs reciprocal(const NodeContext& node) { return {1.0 / node[0]}; }

// uint64 is computed as int64, which has the same bits.
Connection signed_bits(const Connection& x) { return x.cast(DType::int64); }

// Moves the order of int64 to that of uint64, and back.
Connection reordered(const Connection& bits) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  return apply("bitwise_xor", {bits, constant(Tensor::scalar(lowest))});
}

// Zeros enter at the front, where a shift of int64 repeats the sign.
Connection shifted_right(const Connection& bits, const Connection& count) {
  const Connection inside = count.clamp(1, 63);
  const Connection ones = constant(Tensor::scalar(std::int64_t{-1}));
  const Connection sign = apply("shift_left", {ones, 64 - inside});
  const Connection moved =
      apply("bitwise_and", {apply("shift_right", {bits, inside}), apply("bitwise_not", {sign})});
  return selected(count.eq(0), bits, selected(count.eq(inside), moved, 0));
}

// Half of the first number has a sign of 0. Twice its quotient is at most one too small.
struct UnsignedQuotient {
  UnsignedQuotient(const Connection& a, const Connection& b) {
    const Connection x = signed_bits(a), y = signed_bits(b);
    const Connection half = shifted_right(x, constant(Tensor::scalar(std::int64_t{1})));
    const Connection small = apply("floor_divide", {half, selected(y < 0, 1, y)}) * 2;
    const Connection first = selected(y < 0, 0, small);
    const Connection left = x - first * y;
    const Connection more = (reordered(left) >= reordered(y)).cast(DType::int64);
    quotient = (first + more).cast(DType::uint64);
    rest = (left - more * y).cast(DType::uint64);
  }
  Connection quotient, rest;
};

// The quotient of ints is rounded towards zero.
Outputs divide(const NodeContext& node) {
  const Connection a = node[0], b = aligned(node);
  if (node.type() == ElementType::uint64) return {UnsignedQuotient(a, b).quotient};
  if (!is_int(node.type())) return {apply("divide", {a, b})};
  return {apply("floor_divide", {a - apply("fmod", {a, b}), b})};
}

Outputs mod(const NodeContext& node) {
  const bool is_fmod = node.flag("fmod");
  if (!is_fmod && is_float(node.type()) && node.opset() < 28) refuse("fmod=0 is for ints");
  if (node.type() == ElementType::uint64) return {UnsignedQuotient(node[0], node[1]).rest};
  return {apply(is_fmod ? "fmod" : "remainder", {node[0], node[1]})};
}

bool is_in_float32(double number) {
  return static_cast<double>(static_cast<float>(number)) == number;
}

// An exponent of one known element, with which the power has the shape of the base. Weights are
// parameters, and not exponents that the model states.
std::optional<double> stated_exponent(const NodeContext& node) {
  const Value& exponent = node.value(1);
  if (!exponent.known || exponent.known.size() != 1) return std::nullopt;
  if (const auto rank = static_cast<std::size_t>(exponent.known.rank()); rank > 0) {
    const std::optional<std::size_t> base = node[0].known_shape().rank();
    if (exponent.is_weight || !base || *base < rank) return std::nullopt;
  }
  return exponent.known->at_as_double(0);
}

// The type is that of the base. Powers of a float and an int are computed in float64, which holds
// all ints below 2^53.
Outputs power(const NodeContext& node) {
  const ElementType type = node.type(0), exponent = node.type(1);
  if (const std::optional<double> stated = stated_exponent(node)) {
    const double number = *stated;
    // With a constant exponent the power op lowers a square to a product.
    if (is_float(type) && (is_in_float32(number) || type == ElementType::float64))
      return {apply("power", {node[0], number})};
    constexpr double most_whole = 64;
    if (is_int(type) && is_float(exponent) && number >= 0 && number <= most_whole &&
        std::trunc(number) == number)
      return {converted(apply("power", {node[0], static_cast<std::int64_t>(number)}), type)};
  }
  const Connection a = node[0], b = aligned(node);
  if (is_float(type) != is_float(exponent)) {
    const Connection made = apply("power", {a.cast(DType::float64), b.cast(DType::float64)});
    return {converted(made, type)};
  }
  const Connection made = apply("power", {a, b});
  return {type == exponent ? made : converted(made, type)};
}

Outputs shift(const NodeContext& node) {
  const std::string direction = node.text("direction");
  if (direction != "LEFT" && direction != "RIGHT") refuse("its direction is " + direction);
  if (node.type() == ElementType::uint64 && direction == "RIGHT")
    return {shifted_right(signed_bits(node[0]), signed_bits(node[1])).cast(DType::uint64)};
  return {apply(direction == "LEFT" ? "shift_left" : "shift_right", {node[0], node[1]})};
}

template <const char* const& op>
Outputs variadic(const NodeContext& node) {
  Connection made = node[0];
  for (std::size_t i = 1; i < node.count(); ++i) made = apply(op, {made, node[i]});
  return {made};
}

Outputs mean(const NodeContext& node) {
  Outputs sum = variadic<add_op>(node);
  return {*sum.front().connection / static_cast<double>(node.count())};
}

Outputs where(const NodeContext& node) {
  if (node.type(1) == ElementType::boolean) {
    const Connection condition = node[0];
    return {Value((condition & node[1]) | (~condition & node[2]), ElementType::boolean)};
  }
  return {Value(selected(node[0], node[1], node[2]), node.type(1))};
}

// NaN stays NaN, as in ONNX Runtime and NumPy.
Outputs sign(const NodeContext& node) {
  const Connection made = apply("sign", {node[0]});
  if (!is_float(node.type())) return {made};
  return {selected(apply("is_nan", {node[0]}), node[0], made)};
}

Outputs is_nan(const NodeContext& node) {
  return {Value(apply("is_nan", {node[0]}), ElementType::boolean)};
}

Outputs is_inf(const NodeContext& node) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool positive = node.flag("detect_positive", true);
  const bool negative = node.flag("detect_negative", true);
  const Connection x = node[0];
  Connection made = x.eq(x) & (positive && negative ? x.abs().eq(infinity)
                               : positive           ? x.eq(infinity)
                               : negative           ? x.eq(-infinity)
                                                    : x.ne(x));
  return {Value(made, ElementType::boolean)};
}

Outputs identity(const NodeContext& node) { return {node.value(0)}; }

Outputs cast_to(const NodeContext& node, ElementType to) {
  const bool is_clamped = is_float(to) && !is_computed(to);
  const bool is_wide = is_float(node.type()) && is_computed(node.type());
  const Connection x = is_clamped && !is_wide ? node[0].cast(DType::float32) : node[0];
  return {Value(saturated(node, x, to), to)};
}

Outputs cast(const NodeContext& node) {
  return cast_to(node, element_type(node, "to", ElementType::undefined));
}

Outputs bit_cast(const NodeContext& node) {
  const ElementType to = element_type(node, "to", ElementType::undefined);
  if (to == node.type()) return {node.value(0)};
  const auto held = held_dtype(to);
  if (!held || !is_computed(to)) refuse("models do not compute with " + name_of(to) + " yet");
  if (size_of(*held) != size_of(*held_dtype(node.type())))
    refuse(name_of(node.type()) + " and " + name_of(to) + " have different numbers of bits");
  if (to == ElementType::boolean) refuse("a bool has one bit of its byte");
  if (node.type() == ElementType::boolean) return {Value(converted(node[0], to), to)};
  for (const ElementType type : {to, node.type()})
    if (is_float(type) && size_of(*held_dtype(type)) < 4)
      refuse("the bits of " + name_of(type) + " are not read");
  return {Value(apply("bit_cast", {node[0], *held}), to)};
}

Outputs cast_like(const NodeContext& node) { return cast_to(node, node.type(1)); }

}  // namespace

std::vector<OpRow> elementwise_rows() {
  const std::string_view truncated = "fmod=0 with floats before opset 28";
  return {
      {"Abs", 1, unary<abs_op>, "Absolute"},
      of_floats({"Acos", 7, from_layer<acos_layer>, "Acos"}),
      of_floats({"Acosh", 9, acosh, "Log1p, Sqrt"}),
      {"Add", 1, binary<add_op>, "Add"},
      {"And", 1, comparison<logical_and_op>, "LogicalAnd"},
      of_floats({"Asin", 7, from_layer<asin_layer>, "Asin"}),
      of_floats({"Asinh", 9, asinh, "Log1p, Sqrt, Sign"}),
      of_floats({"Atan", 7, unary<atan_op>, "Atan"}),
      of_floats({"Atanh", 9, atanh, "Log1p"}),
      {"BitCast", 26, bit_cast, "BitCast", "floats of 16 bits or fewer, results of bool"},
      {"BitShift", 11, shift, "ShiftLeft, ShiftRight"},
      {"BitwiseAnd", 18, binary<bitwise_and_op>, "BitwiseAnd"},
      {"BitwiseNot", 18, unary<bitwise_not_op>, "BitwiseNot"},
      {"BitwiseOr", 18, binary<bitwise_or_op>, "BitwiseOr"},
      {"BitwiseXor", 18, binary<bitwise_xor_op>, "BitwiseXOr"},
      {"Cast", 6, cast, "Cast, Clamp", "strings", true},
      {"CastLike", 15, cast_like, "Cast, Clamp", "strings", true},
      of_floats({"Ceil", 1, ceil, "Floor of the negated"}),
      of_floats({"Cos", 7, unary<cos_op>, "Cosine"}),
      of_floats({"Cosh", 9, from_layer<cosh_layer>, "Cosh"}),
      {"Div", 1, divide, "Divide; FloorDivide and Fmod for ints"},
      {"Equal", 1, comparison<equal_op>, "Equal"},
      of_floats({"Erf", 9, unary<erf_op>, "Erf"}),
      of_floats({"Exp", 1, unary<exp_op>, "Exponential"}),
      of_floats({"Floor", 1, unary<floor_op>, "Floor"}),
      {"Greater", 1, comparison<greater_op>, "Greater"},
      {"GreaterOrEqual", 12, comparison<greater_equal_op>, "GreaterEqual"},
      of_sequences({"Identity", 1, identity, "the connection itself"}),
      of_floats({"IsInf", 10, is_inf, "Absolute, Equal"}),
      of_floats({"IsNaN", 9, is_nan, "IsNan"}),
      {"Less", 1, comparison<less_op>, "Less"},
      {"LessOrEqual", 12, comparison<less_equal_op>, "LessEqual"},
      of_floats({"Log", 1, unary<log_op>, "Log"}),
      {"Max", 1, variadic<maximum_op>, "Maximum"},
      of_floats({"Mean", 1, mean, "Add, Divide"}),
      {"Min", 1, variadic<minimum_op>, "Minimum"},
      {"Mod", 10, mod, "Remainder, Fmod", truncated},
      {"Mul", 1, binary<multiply_op>, "Multiply"},
      {"Neg", 1, unary<negate_op>, "Negate"},
      {"Not", 1, unary<logical_not_op>, "LogicalNot"},
      {"Or", 1, comparison<logical_or_op>, "LogicalOr"},
      {"Pow", 1, power, "Power"},
      of_floats({"Reciprocal", 1, reciprocal, "Divide"}),
      of_floats({"Round", 11, unary<round_op>, "Round"}),
      {"Sign", 9, sign, "Sign, Where"},
      of_floats({"Sin", 7, unary<sin_op>, "Sine"}),
      of_floats({"Sinh", 9, from_layer<sinh_layer>, "Sinh"}),
      of_floats({"Sqrt", 1, unary<sqrt_op>, "Sqrt"}),
      {"Sub", 1, binary<subtract_op>, "Subtract"},
      {"Sum", 1, variadic<add_op>, "Add"},
      of_floats({"Tan", 7, from_layer<tan_layer>, "Tan"}),
      {"Where", 9, where, "Where"},
      {"Xor", 1, comparison<logical_xor_op>, "LogicalXOr"},
  };
}

}  // namespace mithril::onnx
