// Logic: exactly one of the two is true.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_logical_xor() {
  return {
      .name = "logical_xor",
      .doc = "left XOR right, elementwise, for bools only.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_logic(s, std::not_equal_to<>()); },
      .eval = [](EvalContext& c) { map2(c, std::not_equal_to<>()); },
      .not_differentiable = "the result is a bool",
      .spell = {{"jax", "{left} ^ {right}"},
                {"onnx", "Xor(left, right)"},
                {"torch", "aten::logical_xor(left, right)"},
                {"c", "{left} != {right}"}},
  };
}

}  // namespace mithril
