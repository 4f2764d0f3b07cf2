// The gradient of relu.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_relu_grad() {
  return {
      .name = "relu_grad",
      .doc =
          "The gradient of relu, given its output `result`: 0 where `result` is 0, otherwise "
          "`grad`.",
      .internal = true,
      .inputs = {{"grad", "*s", "float"}, {"result", "*s", "float"}},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            map2_float(
                c, [](auto dy, auto y) { return y <= 0 ? decltype(dy)() : dy; }, "grad", "result");
          },
      .grad =
          [](GradContext& g) {
            flow_summed(g, "grad", call("relu_grad", {g.out_grad(), g.in("result")}));
          },
      .spell = {{"jax", "jnp.where({result} <= 0, 0, {grad})"},
                {"onnx", "Where(LessOrEqual(result, 0), 0, grad)"},
                {"torch", "aten::threshold_backward(grad, result, 0)"},
                {"c", "{result} <= 0 ? 0 : {grad}"}},
  };
}

}  // namespace mithril
