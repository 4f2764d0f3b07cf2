// The bits of two ints: AND.
#include <functional>

#include "mithril/ops/support/bits.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_bitwise_and() {
  return {
      .name = "bitwise_and",
      .doc =
          "The bitwise AND of two ints, or the logical AND of two bools. With an int, a bool "
          "counts as 0 or 1.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_bits(s, std::bit_and<>()); },
      .eval = [](EvalContext& c) { map_bits(c, std::bit_and<>()); },
      .not_differentiable = "the result is an int or a bool",
      .separable = {"*a", "*b"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} & {right}"},
                {"onnx", "output.kind == \"bool\" ? And(left, right) : BitwiseAnd(left, right)"},
                {"torch", "aten::bitwise_and(left, right)"}},
  };
}

}  // namespace mithril
