// The bits of two ints: OR.
#include <functional>

#include "mithril/ops/support/bits.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_bitwise_or() {
  return {
      .name = "bitwise_or",
      .doc =
          "The bitwise OR of two ints, or the logical OR of two bools. With an int, a bool counts "
          "as 0 or 1.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_bits(s, std::bit_or<>()); },
      .eval = [](EvalContext& c) { map_bits(c, std::bit_or<>()); },
      .not_differentiable = "the result is an int or a bool",
      .separable = {"*a", "*b"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} | {right}"},
                {"onnx", "output.kind == \"bool\" ? Or(left, right) : BitwiseOr(left, right)"},
                {"torch", "aten::bitwise_or(left, right)"}},
  };
}

}  // namespace mithril
