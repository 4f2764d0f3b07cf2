// Remainder of a floored division, as Python's %.
#include <cmath>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/zero_division.hpp"

namespace mithril {
namespace {

template <typename T>
T remainder_of_floats(T a, T b) {
  const T rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T>
T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return remainder_of_floats(a, b);
  } else {
    if (b == 0) refuse_zero_element("remainder", "NaN");
    if (b == T(-1)) return T();  // the division of the smallest int by -1 overflows
    const T rest = static_cast<T>(a % b);
    return rest != T() && (rest < T()) != (b < T()) ? static_cast<T>(rest + b) : rest;
  }
}

std::optional<Datum> folded_remainder(Solver& s, const Datum& a, const Datum& b) {
  refuse_known_zero(s, b);
  return fold_numbers(
      s, a, b, [](const Dim& x, const Dim& y) { return x - floor_divide(x, y) * y; },
      remainder_of_floats<double>);
}

}  // namespace

OpDef define_remainder() {
  return {
      .name = "remainder",
      .doc =
          "The remainder of the floored division, as Python's %: fmod(numerator, denominator), "
          "plus denominator if their signs differ. The result of two ints is an int. Two bools are "
          "an error.",
      .inputs = {{"numerator", "*a", "T=operand"}, {"denominator", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"numerator", "denominator"}, number_kinds,
                                     [&](auto& a, auto& b) { return folded_remainder(s, a, b); });
          },
      .eval =
          [](EvalContext& c) {
            map2(
                c, [](auto a, auto b) { return remainder(a, b); }, "numerator", "denominator");
          },
      .grad =
          [](GradContext& g) {
            if (g.needs("numerator")) flow_summed(g, "numerator", g.out_grad());
            if (!g.needs("denominator")) return;
            const Expression quotient =
                call("floor_divide", {g.operand("numerator"), g.operand("denominator")});
            flow_summed(g, "denominator", -(g.out_grad() * quotient));
          },
      .separable = {"*a", "*b"},
      .spell = {{"jax", "jnp.remainder({numerator}, {denominator})"},
                {"onnx", "remainder(numerator, denominator)"},
                {"torch", "aten::remainder(numerator, denominator)"}},
  };
}

}  // namespace mithril
