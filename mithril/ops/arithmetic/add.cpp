// Sum.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_add() {
  return {
      .name = "add",
      .doc = "left + right, elementwise. For two bools it is left OR right.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"left", "right"}, operand_kinds, [&](auto& a, auto& b) {
              return fold_numbers(s, a, b, std::plus<>(), std::plus<>());
            });
          },
      .eval =
          [](EvalContext& c) { map2(c, [](auto a, auto b) { return wrapping(a) + wrapping(b); }); },
      .grad =
          [](GradContext& g) {
            for (const char* port : {"left", "right"}) {
              if (g.needs(port)) flow_summed(g, port, g.out_grad());
            }
          },
      .linear = {"left right"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} + {right}"},
                {"onnx", "output.kind == \"bool\" ? Or(left, right) : Add(left, right)"},
                {"torch", "aten::add(left, right)"},
                {"c", "{left} + {right}"}},
  };
}

}  // namespace mithril
