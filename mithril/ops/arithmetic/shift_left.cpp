// Ints times powers of two.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/shifting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

template <typename T>
T shifted_left(T number, T shift) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return shifts_all(shift) ? T() : static_cast<T>(wrapping(number) << shift);
  } else {
    return number;
  }
}

}  // namespace

OpDef define_shift_left() {
  return {
      .name = "shift_left",
      .doc =
          "input * 2**shift, for ints and bools. A shift that is negative or at least the number "
          "of bits of the element shifts out all bits.",
      .inputs = {{"input", "*a", shiftable}, {"shift", "*b", shiftable}},
      .outputs = {{"output", "*o", "int|value int"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_shift(s,
                               [](const Dim& number, const Dim& power) { return number * power; });
          },
      .eval =
          [](EvalContext& c) {
            map2(
                c, [](auto a, auto b) { return shifted_left(a, b); }, "input", "shift");
          },
      .not_differentiable = "the result is an int",
      .separable = {"*a", "*b"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "shift_left({input}, {shift}, {output.dtype})"},
                {"torch", "aten::bitwise_left_shift(input, shift)"},
                {"c", "{input} << {shift}"},
                {"loop", "unsupported: loops compute floats"}},
  };
}

}  // namespace mithril
