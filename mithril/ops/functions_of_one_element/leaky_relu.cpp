// The rectified linear unit with a slope on the left.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_leaky_relu() {
  return {
      .name = "leaky_relu",
      .doc = "input where it is positive, otherwise slope * input.",
      .inputs = {{"input", "*s", "number"}, value("slope", "float|int", 0.01)},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const double slope = c.real("slope");
            map1_float(c,
                       [slope](auto x) { return x > 0 ? x : x * static_cast<decltype(x)>(slope); });
          },
      .grad =
          [](GradContext& g) {
            const Expression steep = call("greater", {g.in("input"), 0}), dy = g.out_grad();
            g.flow("input", call("where", {steep, dy, dy * g.operand("slope")}));
          },
      .spell = {{"jax", "jnp.where({input} > 0, {input}, {input} * {slope})"},
                {"onnx",
                 "output.dtype_name == \"float64\" ? Where(Greater(input, 0), input, Mul(input, "
                 "slope)) : LeakyRelu(input, alpha=slope)"},
                {"torch", "aten::leaky_relu(input, slope)"},
                {"c", "{input} > 0 ? {input} : {input} * {slope}"}},
  };
}

}  // namespace mithril
