// Python's ~: the opposite of a bool, the bits of an int inverted.
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_bitwise_not() {
  return {
      .name = "bitwise_not",
      .doc = "The logical NOT of bools. For ints it inverts all bits: -input - 1.",
      .inputs = {{"input", "*s", "T=operand"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(
                s, {"input"}, bool_kinds | kind::int_tensor | kind::int_value, [](auto& input) {
                  return is_bool(input) ? Datum(!input.flag()) : Datum(Dim(-1) - input.dim());
                });
          },
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            const bool is_truth = x.dtype() == DType::boolean;
            e.become(is_truth ? call("logical_not", {x}) : call("subtract", {-1, x}));
          },
      .integers = IntegerUse::bits,
  };
}

}  // namespace mithril
