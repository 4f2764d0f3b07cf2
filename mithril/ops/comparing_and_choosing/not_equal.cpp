// Comparison: left != right.
#include <functional>

#include "mithril/ops/support/comparison.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_not_equal() {
  return {
      .name = "not_equal",
      .doc = "left != right, elementwise. NaN does not equal itself.",
      .inputs = {{"left", "*a", "operand"}, {"right", "*b", "operand"}},
      .outputs = {{"output", "*o", "operand"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_comparison(s, std::not_equal_to<>()); },
      .eval = [](EvalContext& c) { compare_elements(c, std::not_equal_to<>()); },
      .not_differentiable = "the result is a bool",
      .integers = IntegerUse::order,
      .spell = {{"jax", "{left} != {right}"},
                {"onnx", "Not(Equal(left, right))"},
                {"torch", "aten::ne(left, right)"},
                {"c", "{left} != {right}"}},
  };
}

}  // namespace mithril
