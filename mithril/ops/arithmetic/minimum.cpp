// The smaller of two.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/extremum.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_minimum() {
  return {
      .name = "minimum",
      .doc =
          "min(left, right), elementwise; NaN if either is NaN. Where left equals right, each gets "
          "half of the gradient.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"left", "right"}, operand_kinds, [&](auto& a, auto& b) {
              return fold_extremum(s, a, b, false);
            });
          },
      .eval =
          [](EvalContext& c) { map2(c, [](auto a, auto b) { return a < b || a != a ? a : b; }); },
      .grad = [](GradContext& g) { flow_extremum(g, "greater"); },
      .integers = IntegerUse::order,
      .spell = {{"jax", "jnp.minimum({left}, {right})"},
                {"onnx", "output.kind == \"bool\" ? And(left, right) : Min(left, right)"},
                {"torch", "aten::minimum(left, right)"},
                {"c", "{left} < {right} || {left} != {left} ? {left} : {right}"}},
  };
}

}  // namespace mithril
