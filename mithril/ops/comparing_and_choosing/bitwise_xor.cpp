// The bits of two ints: exclusive OR.
#include <functional>

#include "mithril/ops/support/bits.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_bitwise_xor() {
  return {
      .name = "bitwise_xor",
      .doc =
          "The bitwise exclusive OR of two ints, or the logical exclusive OR of two bools. With an "
          "int, a bool counts as 0 or 1.",
      .inputs = {{"left", "*a", "T=operand"}, {"right", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve = [](Solver& s) { return solve_bits(s, std::bit_xor<>()); },
      .eval = [](EvalContext& c) { map_bits(c, std::bit_xor<>()); },
      .not_differentiable = "the result is an int or a bool",
      .separable = {"*a", "*b"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "{left} ^ {right}"},
                {"onnx", "output.kind == \"bool\" ? Xor(left, right) : BitwiseXor(left, right)"},
                {"torch", "aten::bitwise_xor(left, right)"}},
  };
}

}  // namespace mithril
