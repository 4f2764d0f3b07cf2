// Logic: any of the two is true.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_logical_or() {
  return {
      .name = "logical_or",
      .doc = "left OR right, elementwise, for bools only.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_logic(s, std::logical_or<>()); },
      .eval = [](EvalContext& c) { map2(c, std::logical_or<>()); },
      .not_differentiable = "the result is a bool",
      .spell = {{"jax", "{left} | {right}"},
                {"onnx", "Or(left, right)"},
                {"torch", "aten::logical_or(left, right)"},
                {"c", "{left} || {right}"}},
  };
}

}  // namespace mithril
