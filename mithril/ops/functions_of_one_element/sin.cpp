// The sine.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_sin() {
  return {
      .name = "sin",
      .doc = "The sine of each element. Angles are in radians.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::sin(x); }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() * call("cos", {g.in("input")})); },
      .spell = {{"jax", "jnp.sin({input})"},
                {"onnx", "Sin(input)"},
                {"torch", "aten::sin(input)"},
                {"c", "sin({input})"}},
  };
}

}  // namespace mithril
