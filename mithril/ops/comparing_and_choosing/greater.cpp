// Comparison: left > right.
#include <functional>

#include "mithril/ops/support/comparison.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_greater() {
  return {
      .name = "greater",
      .doc = "left > right, elementwise.",
      .inputs = {{"left", "*a", "operand"}, {"right", "*b", "operand"}},
      .outputs = {{"output", "*o", "operand"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_comparison(s, std::greater<>()); },
      .eval = [](EvalContext& c) { compare_elements(c, std::greater<>()); },
      .not_differentiable = "the result is a bool",
      .integers = IntegerUse::order,
      .spell = {{"jax", "{left} > {right}"},
                {"onnx", "Greater(left, right)"},
                {"torch", "aten::gt(left, right)"},
                {"c", "{left} > {right}"}},
  };
}

}  // namespace mithril
