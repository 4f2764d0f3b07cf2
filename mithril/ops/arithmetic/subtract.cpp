// Difference.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_subtract() {
  return {
      .name = "subtract",
      .doc = "left - right, elementwise. Two bools are an error.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"left", "right"}, number_kinds, [&](auto& a, auto& b) {
              return fold_numbers(s, a, b, std::minus<>(), std::minus<>());
            });
          },
      .eval =
          [](EvalContext& c) { map2(c, [](auto a, auto b) { return wrapping(a) - wrapping(b); }); },
      .grad =
          [](GradContext& g) {
            if (g.needs("left")) flow_summed(g, "left", g.out_grad());
            if (g.needs("right")) flow_summed(g, "right", -g.out_grad());
          },
      .linear = {"left right"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} - {right}"},
                {"onnx", "Sub(left, right)"},
                {"torch",
                 "left.kind == \"bool\" ? aten::sub(aten::to(left, output.dtype), right) : "
                 "right.kind == \"bool\" ? aten::sub(left, aten::to(right, output.dtype)) : "
                 "aten::sub(left, right)"},
                {"c", "{left} - {right}"}},
  };
}

}  // namespace mithril
