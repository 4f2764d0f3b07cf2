// The hyperbolic tangent.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_tanh() {
  return {
      .name = "tanh",
      .doc = "The hyperbolic tangent of each element.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::tanh(x); }); },
      .grad =
          [](GradContext& g) {
            g.flow("input", g.out_grad() * call("subtract", {1.0, g.out() * g.out()}));
          },
      .spell = {{"jax", "jnp.tanh({input})"},
                {"onnx", "Tanh(input)"},
                {"torch", "aten::tanh(input)"},
                {"c", "tanh({input})"}},
  };
}

}  // namespace mithril
