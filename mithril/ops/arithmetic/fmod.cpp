// Remainder of a division towards zero, as C's fmod.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/zero_division.hpp"

namespace mithril {
namespace {

template <typename T>
T truncated_remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) refuse_zero_element("fmod", "NaN");
    if (b == T(-1)) return T();  // the division of the smallest int by -1 overflows
    return static_cast<T>(a % b);
  }
}

}  // namespace

OpDef define_fmod() {
  return {
      .name = "fmod",
      .doc =
          "The remainder of the division rounded towards zero, as C's fmod. It has the sign of the "
          "numerator.",
      .inputs = {{"numerator", "*a", "T=number"}, {"denominator", "*b", "U=number"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .eval =
          [](EvalContext& c) {
            map2(
                c, [](auto a, auto b) { return truncated_remainder(a, b); }, "numerator",
                "denominator");
          },
      .grad =
          [](GradContext& g) {
            if (g.needs("numerator")) flow_summed(g, "numerator", g.out_grad());
            if (!g.needs("denominator")) return;
            const Expression quotient = call("trunc", {g.in("numerator") / g.in("denominator")});
            flow_summed(g, "denominator", -(g.out_grad() * quotient));
          },
      .separable = {"*a", "*b"},
      .spell = {{"jax", "jnp.fmod({numerator}, {denominator})"},
                {"onnx", "Mod(numerator, denominator, fmod=1)"},
                {"torch", "aten::fmod(numerator, denominator)"}},
  };
}

}  // namespace mithril
