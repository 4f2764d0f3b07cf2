// Logic: the opposite.
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_logical_not() {
  return {
      .name = "logical_not",
      .doc = "NOT input, elementwise, for bools only.",
      .inputs = {{"input", "*s", "T=operand"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(s, {"input"}, bool_kinds,
                                     [](auto& input) { return Datum(!input.flag()); });
          },
      .eval = [](EvalContext& c) { map1(c, std::logical_not<>()); },
      .not_differentiable = "the result is a bool",
      .spell = {{"jax", "~{input}"},
                {"onnx", "Not(input)"},
                {"torch", "aten::logical_not(input)"},
                {"c", "!{input}"}},
  };
}

}  // namespace mithril
