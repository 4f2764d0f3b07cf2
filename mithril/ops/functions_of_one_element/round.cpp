// The nearest whole number.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_round() {
  return {
      .name = "round",
      .doc =
          "The nearest whole number, in the type of the input. Halves are rounded to the even "
          "number: round(2.5) is 2. The slope is 0.",
      .inputs = {{"input", "*s", "T=number"}},
      .outputs = {{"output", "*s", "T"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::rint(x); }); },
      .grad = no_gradient,  // piecewise constant: no gradient
      .spell = {{"jax", "rounded(jnp.round, {input})"},
                {"onnx", "output.kind == \"float\" ? Round(input) : input"},
                {"torch", "aten::round(input)"},
                {"c", "rint({input})"}},
  };
}

}  // namespace mithril
