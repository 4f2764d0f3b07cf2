// The rectified linear unit.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_relu() {
  return {
      .name = "relu",
      .doc = "max(input, 0). The slope at 0 is 0.",
      .inputs = {{"input", "*s", "T=number"}},
      .outputs = {{"output", "*s", "T"}},
      .eval =
          [](EvalContext& c) {
            map1(c, [](auto x) { return x < decltype(x)() ? decltype(x)() : x; });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("relu_grad", {g.out_grad(), g.out()}));
          },
      .spell = {{"jax", "jax.nn.relu({input})"},
                {"onnx", "output.kind == \"float\" ? Relu(input) : Max(input, 0)"},
                {"torch", "aten::relu(input)"},
                {"c", "{input} < 0 ? 0 : {input}"}},
  };
}

}  // namespace mithril
