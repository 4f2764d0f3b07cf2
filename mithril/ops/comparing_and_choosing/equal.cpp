// Comparison: left == right.
#include <functional>

#include "mithril/ops/support/comparison.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_equal() {
  return {
      .name = "equal",
      .doc = "left == right, elementwise. NaN does not equal any number.",
      .inputs = {{"left", "*a", "operand"}, {"right", "*b", "operand"}},
      .outputs = {{"output", "*o", "operand"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_comparison(s, std::equal_to<>()); },
      .eval = [](EvalContext& c) { compare_elements(c, std::equal_to<>()); },
      .not_differentiable = "the result is a bool",
      .integers = IntegerUse::order,
      .spell = {{"jax", "{left} == {right}"},
                {"onnx", "Equal(left, right)"},
                {"torch", "aten::eq(left, right)"},
                {"c", "{left} == {right}"}},
  };
}

}  // namespace mithril
