// Functions of one element, and arithmetic.
#include <cmath>
#include <limits>

#include "mithril/onnx/export/form.hpp"
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

// Mod of floats has the sign of the numerator: a remainder of the other sign than the denominator
// is moved by the denominator.
Operand remainder_of(const FormContext& c, const Operand& left, const Operand& right) {
  GraphBuilder& b = c.builder();
  if (!is_floating(left.dtype)) return b.call("Mod", {left, right});
  const Operand zero = b.number(0.0, left.dtype);
  const Operand rest = b.call("Mod", {left, right}, {{"fmod", std::int64_t{1}}});
  const Operand is_wrong =
      b.call("Less", {b.call("Mul", {b.call("Sign", {rest}), b.call("Sign", {right})}), zero}, {},
             DType::boolean);
  return b.call("Where", {is_wrong, b.call("Add", {rest, right}), rest}, {}, left.dtype);
}

Item remainder_form(const FormContext& c, const FormArguments& a) {
  return {remainder_of(c, a.tensor(0), a.tensor(1))};
}

// The quotient of floats is rounded, because the division of the difference may be inexact. Without
// a remainder it is that of the division: 0 or infinite, or -1 for an infinite denominator of the
// other sign.
Item floor_divide_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand left = a.tensor(0), right = a.tensor(1);
  const DType dtype = left.dtype;
  const Operand whole = b.call("Div", {b.call("Sub", {left, remainder_of(c, left, right)}), right});
  if (!is_floating(dtype)) return {whole};
  const Operand below = b.call("Floor", {b.call("Div", {left, right})});
  const Operand signs = b.call("Mul", {b.call("Sign", {left}), b.call("Sign", {right})});
  const Operand differ = b.call("Less", {signs, b.number(0.0, dtype)}, {}, DType::boolean);
  const Operand least = b.call("Min", {below, b.number(-1.0, dtype)});
  const Operand other = b.call("Where", {differ, least, below}, {}, dtype);
  const Operand has_none = b.call("IsNaN", {whole}, {}, DType::boolean);
  return {b.call("Where", {has_none, other, b.call("Round", {whole})}, {}, dtype)};
}

// By the arctangent of the quotient, and the quadrant.
Item atan2_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand y = a.tensor(0), x = a.tensor(1);
  const double pi = std::acos(-1.0);
  const auto number = [&](double value) { return b.number(value, y.dtype); };
  const auto choose = [&](const Operand& condition, const Operand& then, const Operand& other) {
    return b.call("Where", {condition, then, other}, {}, y.dtype);
  };
  const auto less = [&](const Operand& left, const Operand& right) {
    return b.call("Less", {left, right}, {}, DType::boolean);
  };
  const Operand is_zero = b.call("Equal", {x, number(0)}, {}, DType::boolean);
  const Operand angle = b.call("Atan", {b.call("Div", {y, choose(is_zero, number(1), x)})});
  const Operand is_below = less(y, number(0));
  const Operand turned = b.call(
      "Add",
      {angle, choose(less(x, number(0)), choose(is_below, number(-pi), number(pi)), number(0))});
  const Operand upright = b.call("Mul", {b.call("Sign", {y}), number(pi / 2)});
  return {choose(is_zero, upright, turned)};
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

// `Cast` leaves floats open that an integer of 8 and 16 bits or an unsigned one cannot hold. Here
// they and NaN become the least integer.
Item cast_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const DType to = a.value(1).dtype();
  if (!is_floating(x.dtype) || !is_stored_only(to)) return {b.cast(x, to)};
  const auto [least, above] = integer_range(to);
  const Operand is_above = b.call("Greater", {x, b.number(least - 1, x.dtype)}, {}, DType::boolean);
  const Operand is_below = b.call("Less", {x, b.number(above, x.dtype)}, {}, DType::boolean);
  const Operand fits = b.call("And", {is_above, is_below}, {}, DType::boolean);
  return {b.cast(b.call("Where", {fits, x, b.number(least, x.dtype)}, {}, x.dtype), to)};
}

// A number in the dtype of the result.
Item number_form(const FormContext&, const FormArguments& a) { return {a.tensor(0)}; }

Operand bent(GraphBuilder& b, const Operand& x, double root) {
  const auto number = [&](double value) { return b.number(value, x.dtype); };
  const Operand cube = b.call("Mul", {b.call("Mul", {x, x}), x});
  const Operand inner = b.call("Add", {x, b.call("Mul", {cube, number(0.044715)})});
  return b.call("Tanh", {b.call("Mul", {inner, number(root)})});
}

// gelu(x, approximate), before ONNX had the op.
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
      {"atan2", atan2_form},
      {"number", number_form},
      {"gelu", gelu_form},
      {"gelu_grad", gelu_grad_form},
      {"robust_log", robust_log_form},
      {"robust_sqrt", robust_sqrt_form},
  };
  return rows;
}

}  // namespace mithril::onnx
