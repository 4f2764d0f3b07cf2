// The cosine.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_cos() {
  return {
      .name = "cos",
      .doc = "The cosine of each element. Angles are in radians.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::cos(x); }); },
      .grad =
          [](GradContext& g) { g.flow("input", -(g.out_grad() * call("sin", {g.in("input")}))); },
      .spell = {{"jax", "jnp.cos({input})"},
                {"onnx", "Cos(input)"},
                {"torch", "aten::cos(input)"},
                {"c", "cos({input})"}},
  };
}

}  // namespace mithril
