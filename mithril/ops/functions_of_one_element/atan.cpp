// The arctangent.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_atan() {
  return {
      .name = "atan",
      .doc = "The arctangent of each element, from -pi / 2 to pi / 2.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::atan(x); }); },
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input");
            g.flow("input", g.out_grad() / (x * x + 1));
          },
      .spell = {{"jax", "jnp.arctan({input})"},
                {"onnx", "Atan(input)"},
                {"torch", "aten::atan(input)"},
                {"c", "atan({input})"},
                {"loop", "unsupported: no vectorised arctangent"}},
  };
}

}  // namespace mithril
