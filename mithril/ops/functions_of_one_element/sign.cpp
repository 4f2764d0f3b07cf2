// The sign.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_sign() {
  return {
      .name = "sign",
      .doc = "The sign of each element: -1, 0 or 1. The sign of NaN is 0, as in PyTorch.",
      .inputs = {{"input", "*s", "T=number"}},
      .outputs = {{"output", "*s", "T"}},
      .eval =
          [](EvalContext& c) {
            map1(c, [](auto x) {
              using T = decltype(x);
              return x > T() ? T(1) : x < T() ? T(-1) : T();
            });
          },
      .grad = no_gradient,  // piecewise constant: no gradient
      .spell = {{"jax", "sign({input})"},
                {"onnx",
                 "output.kind == \"float\" ? Where(IsNaN(input), 0, Sign(input)) : Sign(input)"},
                {"torch", "aten::sign(input)"},
                {"c", "{input} > 0 ? 1 : {input} < 0 ? -1 : 0"}},
  };
}

}  // namespace mithril
