// Logic: both are true.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_logical_and() {
  return {
      .name = "logical_and",
      .doc = "left AND right, elementwise, for bools only.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_logic(s, std::logical_and<>()); },
      .eval = [](EvalContext& c) { map2(c, std::logical_and<>()); },
      .not_differentiable = "the result is a bool",
      .spell = {{"jax", "{left} & {right}"},
                {"onnx", "And(left, right)"},
                {"torch", "aten::logical_and(left, right)"},
                {"c", "{left} && {right}"}},
  };
}

}  // namespace mithril
