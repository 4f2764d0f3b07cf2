// Quotient: always a float.
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::optional<Datum> quotient(Solver& s, const Datum& numerator, const Datum& denominator) {
  const auto a = real_of(s, numerator), b = real_of(s, denominator);
  if (!a || !b) return std::nullopt;
  if (*b == 0) s.reject("division by zero", "a denominator other than 0", to_string(denominator));
  return Datum(*a / *b);
}

}  // namespace

OpDef define_divide() {
  return {
      .name = "divide",
      .doc = "numerator / denominator, elementwise. The result is a float for ints, too.",
      .inputs = {{"numerator", "*a", "operand"}, {"denominator", "*b", "operand"}},
      .outputs = {{"output", "*o", "operand"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"numerator", "denominator"}, float_kinds,
                                     [&](auto& a, auto& b) { return quotient(s, a, b); });
          },
      .eval =
          [](EvalContext& c) {
            map2_float(
                c, [](auto a, auto b) { return a / b; }, "numerator", "denominator");
          },
      .grad =
          [](GradContext& g) {
            const Operand denominator = g.operand("denominator");
            if (g.needs("numerator")) flow_summed(g, "numerator", g.out_grad() / denominator);
            if (!g.needs("denominator")) return;
            flow_summed(g, "denominator", -(g.out_grad() * g.out()) / denominator);
          },
      .linear = {"numerator"},
      .spell = {{"jax", "{numerator} / {denominator}"},
                {"onnx", "Div(numerator, denominator)"},
                {"torch", "aten::div(numerator, denominator)"},
                {"c", "{numerator} / {denominator}"}},
  };
}

}  // namespace mithril
