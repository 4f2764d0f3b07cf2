// The whole number towards zero.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_trunc() {
  return {
      .name = "trunc",
      .doc = "The element without its fractional part, in the type of the input. The slope is 0.",
      .inputs = {{"input", "*s", "T=number"}},
      .outputs = {{"output", "*s", "T"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::trunc(x); }); },
      .grad = no_gradient,  // piecewise constant: no gradient
      .spell = {{"jax", "rounded(jnp.trunc, {input})"},
                {"onnx", "output.kind == \"float\" ? Mul(Sign(input), Floor(Abs(input))) : input"},
                {"torch", "aten::trunc(input)"},
                {"c", "trunc({input})"}},
  };
}

}  // namespace mithril
