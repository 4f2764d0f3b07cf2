// Product.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_multiply() {
  return {
      .name = "multiply",
      .doc = "left * right, elementwise. For two bools it is left AND right.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"left", "right"}, operand_kinds, [&](auto& a, auto& b) {
              return fold_numbers(s, a, b, std::multiplies<>(), std::multiplies<>());
            });
          },
      .eval =
          [](EvalContext& c) { map2(c, [](auto a, auto b) { return wrapping(a) * wrapping(b); }); },
      .grad =
          [](GradContext& g) {
            if (g.needs("left")) flow_summed(g, "left", g.out_grad() * g.operand("right"));
            if (g.needs("right")) flow_summed(g, "right", g.out_grad() * g.operand("left"));
          },
      .linear = {"left", "right"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} * {right}"},
                {"onnx", "output.kind == \"bool\" ? And(left, right) : Mul(left, right)"},
                {"torch", "aten::mul(left, right)"},
                {"c", "{left} * {right}"}},
  };
}

}  // namespace mithril
