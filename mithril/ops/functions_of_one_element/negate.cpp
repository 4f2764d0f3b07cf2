// The opposite number.
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_negate() {
  return {
      .name = "negate",
      .doc = "-input, elementwise.",
      .inputs = {{"input", "*s", "T=operand"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(s, {"input"}, number_kinds, [](auto& input) {
              return is_float(input) ? Datum(-input.real()) : Datum(Dim(0) - input.dim());
            });
          },
      .eval = [](EvalContext& c) { map1(c, [](auto x) { return -wrapping(x); }); },
      .grad = [](GradContext& g) { g.flow("input", -g.out_grad()); },
      .linear = {"input"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "-{input}"},
                {"onnx", "Neg(input)"},
                {"torch", "aten::neg(input)"},
                {"c", "-{input}"}},
  };
}

}  // namespace mithril
