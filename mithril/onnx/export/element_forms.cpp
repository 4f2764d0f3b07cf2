// Functions of one element, and arithmetic.
#include <cmath>
#include <limits>

#include "mithril/onnx/export/form.hpp"
#include "mithril/onnx/export/no_form.hpp"
#include "mithril/ops/support/integer_range.hpp"

namespace mithril::onnx {
namespace {

Operand one_beside(const FormContext& c, const Operand& x) {
  return c.builder().number(1.0, x.dtype);
}

// log(u) x / (u - 1) for u = 1 + x, whose rounding error cancels. x itself if u is 1, and log(u) if
// x is so large that u is x.
Item log1p_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), one = one_beside(c, x);
  const Operand u = b.call("Add", {x, one});
  const Operand rest = b.call("Div", {x, b.call("Sub", {u, one})});
  const Operand is_large = b.call("Equal", {u, x}, {}, DType::boolean);
  const Operand factor = b.call("Where", {is_large, one, rest}, {}, x.dtype);
  const Operand far = b.call("Mul", {b.call("Log", {u}), factor});
  const Operand is_small = b.call("Equal", {u, one}, {}, DType::boolean);
  return {b.call("Where", {is_small, x, far}, {}, x.dtype)};
}

// (u - 1) x / log(u) for u = exp(x), whose rounding error cancels. x itself if u is 1, and u - 1
// for large |x|, where nothing cancels.
Item expm1_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), one = one_beside(c, x);
  const Operand u = b.call("Exp", {x}), less = b.call("Sub", {u, one});
  const Operand near = b.call("Div", {b.call("Mul", {less, x}), b.call("Log", {u})});
  const Operand size = b.call("Abs", {x});
  const Operand is_far = b.call("Greater", {size, b.number(1.0, x.dtype)}, {}, DType::boolean);
  const Operand made = b.call("Where", {is_far, less, near}, {}, x.dtype);
  return {b.call("Where", {b.call("Equal", {u, one}, {}, DType::boolean), x, made}, {}, x.dtype)};
}

// Whether the elements have different signs. Zeros have no sign here.
Operand signs_differ(GraphBuilder& b, const Operand& x, const Operand& y) {
  const Operand product = b.call("Mul", {b.call("Sign", {x}), b.call("Sign", {y})});
  return b.call("Less", {product, b.number(0.0, x.dtype)}, {}, DType::boolean);
}

// The remainder with the sign of the numerator.
Operand truncated_remainder(GraphBuilder& b, const Operand& left, const Operand& right) {
  return b.call("Mod", {left, right}, {{"fmod", std::int64_t{1}}});
}

// remainder(left, right), with the sign of the denominator. Mod of ints is this remainder. Mod of
// floats has the sign of the numerator: where the signs differ, the denominator is added.
Item remainder_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand left = a.tensor(0), right = a.tensor(1);
  if (!is_floating(left.dtype)) return {b.call("Mod", {left, right})};
  const Operand rest = truncated_remainder(b, left, right);
  const Operand moved = b.call("Add", {rest, right});
  return {b.call("Where", {signs_differ(b, rest, right), moved, rest}, {}, left.dtype)};
}

// Div of ints rounds towards zero: 1 more than the quotient if the signs differ and something
// remains.
Operand floor_quotient_of_ints(GraphBuilder& b, const Operand& left, const Operand& right) {
  const Operand whole = b.call("Div", {left, right});
  const Operand is_exact = b.call(
      "Equal", {b.call("Mod", {left, right}), b.number(0.0, left.dtype)}, {}, DType::boolean);
  const Operand differ = signs_differ(b, left, right);
  const Operand is_above = b.call("And", {differ, b.call("Not", {is_exact})}, {}, DType::boolean);
  return b.call("Sub", {whole, b.cast(is_above, left.dtype)});
}

// The steps of floor_quotient_of_floats in mithril/ops/shared/float_quotient.hpp.
Operand floor_quotient_of_floats(GraphBuilder& b, const Operand& left, const Operand& right) {
  const DType dtype = left.dtype;
  const Operand rest = truncated_remainder(b, left, right);
  const Operand whole = b.call("Div", {b.call("Sub", {left, rest}), right});
  const Operand below = b.call("Sub", {whole, b.number(1.0, dtype)});
  const Operand quotient = b.call("Where", {signs_differ(b, rest, right), below, whole}, {}, dtype);
  const Operand is_by_zero = b.call("Equal", {right, b.number(0.0, dtype)}, {}, DType::boolean);
  const Operand infinite = b.call("Div", {left, right});
  return b.call("Where", {is_by_zero, infinite, b.call("Round", {quotient})}, {}, dtype);
}

Item floor_divide_form(const FormContext& c, const FormArguments& a) {
  const Operand left = a.tensor(0), right = a.tensor(1);
  return {is_floating(left.dtype) ? floor_quotient_of_floats(c.builder(), left, right)
                                  : floor_quotient_of_ints(c.builder(), left, right)};
}

// power(base, exponent). Pow of ints is undefined for negative exponents: the power rounded towards
// zero is 0, or that of the positive exponent if the base is 1 or -1.
Item power_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand base = a.tensor(0), exponent = a.tensor(1);
  if (is_floating(base.dtype) || !a.is_tensor(1)) return {b.call("Pow", {base, exponent})};
  const auto number = [&](double value) { return b.number(value, base.dtype); };
  const Operand is_negative = b.call("Less", {exponent, number(0)}, {}, DType::boolean);
  const Operand is_unit = b.call("Equal", {b.call("Abs", {base}), number(1)}, {}, DType::boolean);
  const Operand is_zero =
      b.call("And", {is_negative, b.call("Not", {is_unit})}, {}, DType::boolean);
  const Operand power = b.call("Pow", {base, b.call("Abs", {exponent})});
  return {b.call("Where", {is_zero, number(0), power}, {}, base.dtype)};
}

// Whether elements are negative, -0 included.
Operand has_minus(GraphBuilder& b, const Operand& x) {
  const Operand zero = b.number(0.0, x.dtype);
  const Operand is_zero = b.call("Equal", {x, zero}, {}, DType::boolean);
  const Operand signed_part = b.call("Where", {is_zero, b.call("Reciprocal", {x}), x}, {}, x.dtype);
  return b.call("Less", {signed_part, zero}, {}, DType::boolean);
}

// atan2(y, x): Atan(y / x), plus or minus pi for negative x. The quotient of equal sizes is stated,
// because that of two zeros or infinities is NaN.
Item atan2_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand y = a.tensor(0), x = a.tensor(1);
  const double pi = std::acos(-1.0);
  const auto choose = [&](const Operand& condition, const Operand& then, const Operand& other) {
    return b.call("Where", {condition, then, other}, {}, y.dtype);
  };
  const Operand is_equal =
      b.call("Equal", {b.call("Abs", {y}), b.call("Abs", {x})}, {}, DType::boolean);
  const Operand signs = b.call("Mul", {b.call("Sign", {y}), b.call("Sign", {x})});
  const Operand angle = b.call("Atan", {choose(is_equal, signs, b.call("Div", {y, x}))});
  const Operand half_turn = choose(has_minus(b, y), b.number(-pi, y.dtype), b.number(pi, y.dtype));
  return {b.call("Add", {angle, choose(has_minus(b, x), half_turn, b.number(0.0, y.dtype))})};
}

double threshold_of(const FormArguments& a, std::size_t i, DType dtype) {
  if (!a.is_none(i)) return a.value(i).real();
  return dtype == DType::float64 ? std::numeric_limits<double>::min()
                                 : std::numeric_limits<float>::min();
}

// log(|x|), and below the threshold its tangent there.
Item robust_log_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand size = b.call("Abs", {a.tensor(0)});
  const double threshold = threshold_of(a, 1, size.dtype);
  const auto number = [&](double value) { return b.number(value, size.dtype); };
  const Operand below = b.call("Less", {size, number(threshold)}, {}, DType::boolean);
  const Operand tangent =
      b.call("Add", {b.call("Div", {size, number(threshold)}), number(std::log(threshold) - 1)});
  const Operand far = b.call("Log", {b.call("Where", {below, number(1), size}, {}, size.dtype)});
  return {b.call("Where", {below, tangent, far}, {}, size.dtype)};
}

// robust_log_grad(grad, x, threshold): grad * sign(x) / max(|x|, threshold), where the sign of 0
// is 1.
Item robust_log_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand grad = a.tensor(0), x = a.tensor(1);
  const Operand is_negative = b.call("Less", {x, b.number(0.0, x.dtype)}, {}, DType::boolean);
  const Operand signs = b.call("Where", {is_negative, b.call("Neg", {grad}), grad}, {}, grad.dtype);
  const Operand threshold = b.number(threshold_of(a, 2, x.dtype), x.dtype);
  return {b.call("Div", {signs, b.call("Max", {b.call("Abs", {x}), threshold})})};
}

// The root of |x|, and below the threshold the line through 0 that meets it there.
Item robust_sqrt_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand size = b.call("Abs", {a.tensor(0)});
  const double threshold = threshold_of(a, 1, size.dtype);
  const auto number = [&](double value) { return b.number(value, size.dtype); };
  const Operand below = b.call("Less", {size, number(threshold)}, {}, DType::boolean);
  const Operand line = b.call("Div", {size, number(std::sqrt(threshold))});
  const Operand far = b.call("Sqrt", {b.call("Where", {below, number(1), size}, {}, size.dtype)});
  return {b.call("Where", {below, line, far}, {}, size.dtype)};
}

// Floats as an integer type of 8 bits and more. `Cast` does not define the result for those that it
// cannot hold: here they and NaN become `other`.
Operand cast_to_integer(GraphBuilder& b, const Operand& x, DType to, double other) {
  const auto [least, above] = integer_range(to);
  const Operand is_above = b.call("Greater", {x, b.number(least - 1, x.dtype)}, {}, DType::boolean);
  const Operand is_below = b.call("Less", {x, b.number(above, x.dtype)}, {}, DType::boolean);
  const Operand fits = b.call("And", {is_above, is_below}, {}, DType::boolean);
  return b.cast(b.call("Where", {fits, x, b.number(other, x.dtype)}, {}, x.dtype), to);
}

// The nearest powers of two. Numbers that are not positive, and those that round beyond the largest
// power, become NaN: `Cast` would saturate.
Operand cast_to_exponents(GraphBuilder& b, const Operand& x) {
  const auto number = [&](double value) { return b.number(value, DType::float32); };
  const Operand wide = b.cast(x, DType::float32);
  const Operand is_positive = b.call("Greater", {wide, number(0)}, {}, DType::boolean);
  const Operand is_held = b.call("Less", {wide, number(std::ldexp(1.5, 127))}, {}, DType::boolean);
  const Operand fits = b.call("And", {is_positive, is_held}, {}, DType::boolean);
  const Operand nan = number(std::numeric_limits<double>::quiet_NaN());
  return b.cast(b.call("Where", {fits, wide, nan}, {}, DType::float32), DType::float8_e8m0fnu);
}

// cast(x, dtype). Floats that an integer type cannot hold and NaN become the least integer; for
// integers of 4 and 2 bits they become 0, and others wrap.
Item cast_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand given = a.tensor(0);
  const DType to = a.value(1).dtype();
  if (to == DType::float8_e8m0fnu && given.dtype != to) return {cast_to_exponents(b, given)};
  if (!is_floating(given.dtype) || is_floating(to) || !is_stored_only(to))
    return {b.cast(given, to)};
  const Operand x = is_low_bit(given.dtype) ? b.cast(given, DType::float32) : given;
  if (is_low_bit(to)) return {b.cast(cast_to_integer(b, x, DType::int32, 0), to)};
  return {cast_to_integer(b, x, to, integer_range(to).least)};
}

// A number in the dtype of the result.
Item number_form(const FormContext&, const FormArguments& a) { return {a.tensor(0)}; }

Operand bent(GraphBuilder& b, const Operand& x, double root) {
  const auto number = [&](double value) { return b.number(value, x.dtype); };
  const Operand cube = b.call("Mul", {b.call("Mul", {x, x}), x});
  const Operand inner = b.call("Add", {x, b.call("Mul", {cube, number(0.044715)})});
  return b.call("Tanh", {b.call("Mul", {inner, number(root)})});
}

// gelu(x, approximate), before ONNX had the op, and for doubles: its constants are floats.
Item gelu_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const auto number = [&](double value) { return b.number(value, x.dtype); };
  const double root = std::sqrt(2 / std::acos(-1.0));
  const Operand wave =
      a.flag(1) ? bent(b, x, root) : b.call("Erf", {b.call("Mul", {x, number(std::sqrt(0.5))})});
  return {b.call("Mul", {b.call("Mul", {x, number(0.5)}), b.call("Add", {wave, number(1)})})};
}

// gelu_grad(grad, x, approximate).
Item gelu_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand grad = a.tensor(0), x = a.tensor(1);
  const auto number = [&](double value) { return b.number(value, x.dtype); };
  const auto times = [&](const Operand& left, const Operand& right) {
    return b.call("Mul", {left, right});
  };
  const auto plus = [&](const Operand& left, const Operand& right) {
    return b.call("Add", {left, right});
  };
  const double pi = std::acos(-1.0);
  const Operand square = times(x, x);
  if (!a.flag(2)) {
    const Operand density =
        times(b.call("Exp", {times(square, number(-0.5))}), number(1 / std::sqrt(2 * pi)));
    const Operand wave = b.call("Erf", {times(x, number(std::sqrt(0.5)))});
    const Operand share = times(plus(wave, number(1)), number(0.5));
    return {times(grad, plus(share, times(x, density)))};
  }
  const double root = std::sqrt(2 / pi);
  const Operand wave = bent(b, x, root);
  const Operand slope = b.call("Sub", {number(1), times(wave, wave)});
  const Operand inner = times(plus(times(square, number(0.134145)), number(1)), number(root));
  const Operand whole = plus(plus(wave, number(1)), times(times(x, slope), inner));
  return {times(times(grad, whole), number(0.5))};
}

}  // namespace

std::span<const FormRow> element_forms() {
  static constexpr FormRow rows[] = {
      {"log1p", log1p_form},
      {"cast", cast_form},
      {"expm1", expm1_form},
      {"remainder", remainder_form},
      {"floor_divide", floor_divide_form},
      {"power", power_form},
      {"atan2", atan2_form},
      {"number", number_form},
      {"gelu", gelu_form},
      {"gelu_grad", gelu_grad_form},
      {"robust_log", robust_log_form},
      {"robust_log_grad", robust_log_grad_form},
      {"robust_sqrt", robust_sqrt_form},
  };
  return rows;
}

}  // namespace mithril::onnx
