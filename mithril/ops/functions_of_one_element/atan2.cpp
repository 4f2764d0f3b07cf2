// The angle of a point.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_atan2() {
  return {
      .name = "atan2",
      .doc =
          "The angle of the point (other, input), from -pi to pi. It equals atan(input / other) if "
          "`other` is positive.",
      .inputs = {{"input", "*a", "number"}, {"other", "*b", "number"}},
      .outputs = {{"output", "*o", "float"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .eval =
          [](EvalContext& c) {
            map2_float(
                c, [](auto y, auto x) { return std::atan2(y, x); }, "input", "other");
          },
      .grad =
          [](GradContext& g) {
            const Expression y = g.in("input"), x = g.in("other");
            const Expression scaled = g.out_grad() / (x * x + y * y);
            if (g.needs("input")) flow_summed(g, "input", scaled * x);
            if (g.needs("other")) flow_summed(g, "other", -(scaled * y));
          },
      .spell = {{"jax", "jnp.arctan2({input}, {other})"},
                {"onnx", "atan2(input, other)"},
                {"torch", "aten::atan2(input, other)"},
                {"c", "atan2({input}, {other})"},
                {"loop", "unsupported: no vectorised arctangent"}},
  };
}

}  // namespace mithril
