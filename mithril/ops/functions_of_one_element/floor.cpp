// The largest whole number that is not larger.
#include <cmath>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_floor() {
  return {
      .name = "floor",
      .doc =
          "The largest whole number that is at most the element, in the type of the input. The "
          "slope is 0.",
      .inputs = {{"input", "*s", "T=operand"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(s, {"input"}, number_kinds, [](auto& input) {
              return is_float(input) ? Datum(std::floor(input.real())) : input;
            });
          },
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::floor(x); }); },
      .grad = no_gradient,  // piecewise constant: no gradient
      .spell = {{"jax", "rounded(jnp.floor, {input})"},
                {"onnx", "output.kind == \"float\" ? Floor(input) : input"},
                {"torch", "aten::floor(input)"},
                {"c", "floor({input})"}},
  };
}

}  // namespace mithril
