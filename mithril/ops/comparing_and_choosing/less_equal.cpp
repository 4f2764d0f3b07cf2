// Comparison: left <= right.
#include <functional>

#include "mithril/ops/support/comparison.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_less_equal() {
  return {
      .name = "less_equal",
      .doc = "left <= right, elementwise.",
      .inputs = {{"left", "*a", "operand"}, {"right", "*b", "operand"}},
      .outputs = {{"output", "*o", "operand"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_comparison(s, std::less_equal<>()); },
      .eval = [](EvalContext& c) { compare_elements(c, std::less_equal<>()); },
      .not_differentiable = "the result is a bool",
      .integers = IntegerUse::order,
      .spell = {{"jax", "{left} <= {right}"},
                {"onnx", "LessOrEqual(left, right)"},
                {"torch", "aten::le(left, right)"},
                {"c", "{left} <= {right}"}},
  };
}

}  // namespace mithril
