// Quotient rounded towards minus infinity, as Python's //.
#include <cmath>

#include "mithril/ops/shared/float_quotient.hpp"
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/zero_division.hpp"

namespace mithril {
namespace {

template <typename T>
T floor_quotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return floor_quotient_of_floats(a, b);
  } else {
    if (b == 0) refuse_zero_element("floor_divide", "infinite");
    if (b == T(-1)) return static_cast<T>(-wrapping(a));
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(quotient - (a % b != 0 && (a < T()) != (b < T())));
  }
}

std::optional<Datum> folded_quotient(Solver& s, const Datum& a, const Datum& b) {
  refuse_known_zero(s, b);
  return fold_numbers(
      s, a, b, [](const Dim& x, const Dim& y) { return floor_divide(x, y); },
      floor_quotient_of_floats<double>);
}

}  // namespace

OpDef define_floor_divide() {
  return {
      .name = "floor_divide",
      .doc =
          "The quotient rounded down, as Python's //: (numerator - remainder(numerator, "
          "denominator)) / denominator. It differs from floor(numerator / denominator) where that "
          "quotient is rounded up: 1 // 0.1 is 9. The result of two ints is an int. Two bools are "
          "an error.",
      .inputs = {{"numerator", "*a", "T=operand"}, {"denominator", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"numerator", "denominator"}, number_kinds,
                                     [&](auto& a, auto& b) { return folded_quotient(s, a, b); });
          },
      .eval =
          [](EvalContext& c) {
            map2(
                c, [](auto a, auto b) { return floor_quotient(a, b); }, "numerator", "denominator");
          },
      .grad = no_gradient,  // piecewise constant: no gradient
      .separable = {"*a", "*b"},
      .spell = {{"jax", "jnp.floor_divide({numerator}, {denominator})"},
                {"onnx", "floor_divide(numerator, denominator)"},
                {"torch", "aten::floor_divide(numerator, denominator)"}},
  };
}

}  // namespace mithril
